#include "item_actions/pod_action.h"

#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::item_actions {

Result<extension::BackupActionResult> PodAction::execute(const json::Json& item, const json::Json& /*backup*/,
                                                         const std::stop_token& /*stop*/) {
  extension::BackupActionResult result;
  const std::string priority = json::string_or(item, {"spec", "priorityClassName"}, "");
  if (!priority.empty()) {
    result.additional.push_back({.resource = {"scheduling.k8s.io", "priorityclasses"}, .name = priority});
  }
  const json::Json* volumes = json::find(item, {"spec", "volumes"});
  if (volumes == nullptr || !volumes->is_array()) return result;
  const k8s::ObjectView pod(item);
  for (const json::Json& volume : *volumes) {
    std::string claim = json::string_or(volume, {"persistentVolumeClaim", "claimName"}, "");
    if (claim.empty()) continue;
    result.additional.push_back({.resource = {"", "persistentvolumeclaims"},
                                 .name_space = std::string(pod.name_space()),
                                 .name = std::move(claim)});
  }
  return result;
}

}  // namespace landfall::item_actions
