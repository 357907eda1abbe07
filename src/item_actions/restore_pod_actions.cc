#include "item_actions/restore_pod_actions.h"

#include <string>

#include "item_actions/restore_draft.h"
#include "item_actions/restore_function_action.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::item_actions {
namespace {

using extension::RestoreActionInput;
using extension::RestoreActionResult;
using json::Json;

RestoreActionResult take_claims_along(const RestoreActionInput& input) {
  RestoreActionResult result;
  const Json* volumes = json::find(input.item, {"spec", "volumes"});
  if (volumes == nullptr || !volumes->is_array()) return result;
  for (const Json& volume : *volumes) {
    const std::string* claim = json::find_string(volume, {"persistentVolumeClaim", "claimName"});
    if (claim == nullptr || claim->empty()) continue;
    result.additional.push_back({.resource = {"", "persistentvolumeclaims"},
                                 .name_space = std::string(k8s::ObjectView(input.item).name_space()),
                                 .name = *claim});
  }
  return result;
}

void remove_token_mounts(Draft& pod, std::string_view containers, const Draft::IsUnwanted& is_token) {
  const Json* list = json::find(pod.now(), {"spec", containers});
  const std::size_t count = list != nullptr && list->is_array() ? list->size() : 0;
  for (std::size_t i = 0; i < count; ++i) {
    pod.erase_elements({"spec", containers, std::to_string(i), "volumeMounts"}, is_token);
  }
}

RestoreActionResult restore_pod(const RestoreActionInput& input) {
  Draft pod(input.item);
  pod.erase({"spec", "nodeName"});
  pod.erase({"spec", "priority"});

  const std::string prefix = json::string_or(input.item, {"spec", "serviceAccountName"}, "") + "-token-";
  const Draft::IsUnwanted is_token = [&](const Json& element) {
    const std::string* name = json::find_string(element, {"name"});
    return name != nullptr && name->starts_with(prefix);
  };
  pod.erase_elements({"spec", "volumes"}, is_token);
  remove_token_mounts(pod, "containers", is_token);
  remove_token_mounts(pod, "initContainers", is_token);

  RestoreActionResult result;
  if (const std::string* priority = json::find_string(input.item, {"spec", "priorityClassName"});
      priority != nullptr && !priority->empty()) {
    result.additional.push_back({.resource = {"scheduling.k8s.io", "priorityclasses"}, .name = *priority});
  }
  result.changed = pod.take();
  return result;
}

}  // namespace

std::unique_ptr<extension::RestoreItemAction> make_restore_pod_claims_action() {
  return make_function_action("velero.io/add-pvc-from-pod", "pods", take_claims_along);
}

std::unique_ptr<extension::RestoreItemAction> make_restore_pod_action() {
  return make_function_action("velero.io/pod", "pods", restore_pod);
}

}  // namespace landfall::item_actions
