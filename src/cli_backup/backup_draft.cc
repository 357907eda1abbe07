#include "cli_backup/backup_draft.h"

#include <string_view>
#include <utility>

#include "api/labels.h"
#include "api/names.h"
#include "control/schedule_reconciler.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/names.h"
#include "k8s/object_view.h"

namespace landfall::cli {

using json::Json;

namespace {

// What `kubectl apply` keeps of the Schedule; on a Backup it would be a lie.
constexpr const char* kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

Json spec_of(const Json& schedule) {
  const Json* wanted = json::find(schedule, {"spec", "template"});
  Json spec = wanted != nullptr && wanted->is_object() ? *wanted : Json::object();
  // What Velero's types write when they say nothing.
  for (const char* field : {"metadata", "hooks"}) spec.emplace(field, Json::object());
  for (const char* field : {"ttl", "csiSnapshotTimeout", "itemOperationTimeout"}) spec.emplace(field, "0s");
  return spec;
}

}  // namespace

std::string backup_name_of(const std::string& schedule, const Context& context) {
  return control::scheduled_backup_name(schedule, context.clock.wall_now());
}

Json backup_of_schedule(const Json& schedule, const std::string& name, const StringMap& labels,
                        const StringMap& annotations) {
  const k8s::ObjectView view(schedule);
  const Json* from_template = json::find(schedule, {"spec", "template", "metadata", "labels"});
  StringMap all_labels = from_template != nullptr ? k8s::StringMapView(from_template).copy() : view.labels().copy();
  all_labels[std::string(api::label::kScheduleName)] = k8s::label_safe(view.name());
  for (const auto& [key, value] : labels) all_labels[key] = value;
  StringMap all_annotations = view.annotations().copy();
  all_annotations.erase(kLastApplied);
  for (const auto& [key, value] : annotations) all_annotations[key] = value;

  Json backup =
      new_object(api::kBackup, name, std::string(view.name_space()), spec_of(schedule), all_labels, all_annotations);
  if (json::bool_or(schedule, {"spec", "useOwnerReferencesInBackup"}, false)) {
    backup["metadata"]["ownerReferences"] = Json::array({{{"apiVersion", api::kSchedule.api_version()},
                                                          {"kind", std::string(api::kSchedule.name)},
                                                          {"name", std::string(view.name())},
                                                          {"uid", std::string(view.uid())},
                                                          {"controller", true}}});
  }
  return backup;
}

}  // namespace landfall::cli
