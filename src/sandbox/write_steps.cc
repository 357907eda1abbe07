#include "sandbox/write_steps.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/quote.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "sandbox/api_error.h"
#include "sandbox/body.h"
#include "sandbox_kinds/crd_schema.h"
#include "sandbox_kinds/known_fields.h"

namespace landfall::sandbox {

using json::Json;

Status check_namespace(const KindInfo& kind, std::string_view name_space, Json& metadata) {
  const std::string given = json::string_or(metadata, {"namespace"}, "");
  if (!kind.is_namespaced) {
    if (!given.empty()) {
      return fail("", bad_request("the namespace of the provided object does not match the namespace sent on the "
                                  "request"));
    }
    metadata.erase("namespace");
    return {};
  }
  if (!given.empty() && given != name_space) {
    return fail("",
                bad_request("the namespace of the provided object does not match the namespace sent on the request"));
  }
  metadata["namespace"] = name_space;
  return {};
}

Status prune_unknown(const KindInfo& kind, Json& object, const WriteOptions& options) {
  return report_fields(kind, unknown_fields(kind, object), options.field_validation, options.warnings);
}

std::vector<std::string> unknown_fields(const KindInfo& kind, Json& object) {
  std::vector<std::string> unknown;
  if (kind.schema) {
    unknown = kind.schema->prune(object);
  } else if (!kind.is_custom()) {
    unknown = prune_built_in(kind, object);
  }
  for (std::string& path : unknown) path = "unknown field " + quote(path);
  return unknown;
}

bool allows_unconditional_update(const KindInfo& kind) {
  static constexpr auto kConditional = std::to_array<std::string_view>({
      "MutatingWebhookConfiguration",
      "ValidatingWebhookConfiguration",
      "ValidatingAdmissionPolicy",
      "ValidatingAdmissionPolicyBinding",
      "APIService",
      "Lease",
      "CustomResourceDefinition",
      "RuntimeClass",
      "PodDisruptionBudget",
      "CSIDriver",
      "CSINode",
      "CSIStorageCapacity",
      "VolumeAttachment",
  });
  return !kind.is_custom() && std::ranges::find(kConditional, kind.kind) == kConditional.end();
}

bool allows_create_on_update(const KindInfo& kind) {
  static constexpr auto kCreated =
      std::to_array<std::string_view>({"Lease", "Endpoints", "Event", "LimitRange", "Service", "RuntimeClass",
                                       "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"});
  return !kind.is_custom() && std::ranges::find(kCreated, kind.kind) != kCreated.end();
}

ObjectPtr without_revision(StoredObject object) {
  static constexpr std::string_view kMember = "\"resourceVersion\":\"";
  std::size_t begin = object.revision_at - kMember.size();
  std::size_t end = object.revision_at + 1;
  if (object.bytes[end] == ',') {
    ++end;
  } else if (object.bytes[begin - 1] == ',') {
    --begin;
  }
  object.bytes.erase(begin, end - begin);
  return std::make_shared<const StoredObject>(std::move(object));
}

bool is_ready_to_go(const KindInfo& kind, const Json& live, const Json& next) {
  const k8s::ObjectView view(next);
  const bool was_marked = k8s::ObjectView(live).is_being_deleted();
  if (!was_marked || !view.is_being_deleted() || !view.finalizers().empty()) return false;
  if (json::int_or(live, {"metadata", "deletionGracePeriodSeconds"}, 0) != 0) return false;
  if (kind.kind == "Namespace" && kind.id.group.empty()) {
    const Json* finalizers = json::find(next, {"spec", "finalizers"});
    return finalizers == nullptr || finalizers->empty();
  }
  return true;
}

}  // namespace landfall::sandbox
