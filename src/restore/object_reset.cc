#include "restore/object_reset.h"

#include <algorithm>
#include <array>

#include "api/labels.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/names.h"
#include "k8s/object_view.h"

namespace landfall::restore {

Status reset_metadata_and_status(json::Json& object) {
  static constexpr std::array<std::string_view, 9> kOfTheOldCluster = {"generateName",
                                                                       "selfLink",
                                                                       "uid",
                                                                       "resourceVersion",
                                                                       "generation",
                                                                       "creationTimestamp",
                                                                       "deletionTimestamp",
                                                                       "deletionGracePeriodSeconds",
                                                                       "ownerReferences"};
  json::Json* metadata = json::find(object, {"metadata"});
  if (metadata == nullptr || !metadata->is_object()) return fail(Code::kInvalid, "it has no metadata");
  for (const std::string_view field : kOfTheOldCluster) metadata->erase(std::string(field));
  // An empty list says nothing; see managed_fields.h.
  if (const auto fields = metadata->find("managedFields"); fields != metadata->end() && fields->empty()) {
    metadata->erase(fields);
  }
  object.erase("status");
  return {};
}

Status add_restore_labels(json::Json& object, std::string_view restore, std::string_view backup) {
  TRY("", k8s::set_label(object, api::label::kBackupName, k8s::label_safe(backup)));
  return k8s::set_label(object, api::label::kRestoreName, k8s::label_safe(restore));
}

void remove_restore_labels(json::Json& object) {
  k8s::remove_label(object, api::label::kBackupName);
  k8s::remove_label(object, api::label::kRestoreName);
}

void reset_volume_binding(json::Json& object) {
  json::erase_at(object, {"spec", "claimRef", "uid"});
  json::erase_at(object, {"spec", "claimRef", "resourceVersion"});
  k8s::remove_annotation(object, "pv.kubernetes.io/bind-completed");
  k8s::remove_annotation(object, "pv.kubernetes.io/bound-by-controller");
}

bool has_applied_fields(const json::Json& object) {
  const json::Json* managers = json::find(object, {"metadata", "managedFields"});
  if (managers == nullptr || !managers->is_array()) return false;
  return std::ranges::any_of(
      *managers, [](const json::Json& manager) { return json::string_or(manager, {"operation"}, "") == "Apply"; });
}

std::string type_of(const json::Json& object) {
  return json::string_or(object, {"apiVersion"}, "") + "/" + json::string_or(object, {"kind"}, "");
}

}  // namespace landfall::restore
