#include "item_actions/restore_binding_actions.h"

#include <string>

#include "item_actions/restore_draft.h"
#include "item_actions/restore_function_action.h"
#include "json/json.h"

namespace landfall::item_actions {
namespace {

using extension::RestoreActionInput;
using extension::RestoreActionResult;
using json::Json;

RestoreActionResult map_subjects(const RestoreActionInput& input, const json::StringMap& mapping) {
  RestoreActionResult result;
  const Json* subjects = json::find(input.item, {"subjects"});
  if (subjects == nullptr || !subjects->is_array()) return result;
  Draft binding(input.item);
  for (std::size_t i = 0; i < subjects->size(); ++i) {
    const std::string* name_space = json::find_string((*subjects)[i], {"namespace"});
    const auto mapped = name_space == nullptr ? mapping.end() : mapping.find(*name_space);
    if (mapped != mapping.end()) binding.edit()["subjects"][i]["namespace"] = mapped->second;
  }
  result.changed = binding.take();
  return result;
}

std::unique_ptr<extension::RestoreItemAction> make(std::string name, std::string resource,
                                                   const json::StringMap& mapping) {
  return make_function_action(std::move(name), std::move(resource),
                              [&mapping](const RestoreActionInput& input) { return map_subjects(input, mapping); });
}

}  // namespace

std::unique_ptr<extension::RestoreItemAction> make_restore_cluster_bindings_action(
    const json::StringMap& namespace_mapping) {
  return make("velero.io/cluster-role-bindings", "clusterrolebindings", namespace_mapping);
}

std::unique_ptr<extension::RestoreItemAction> make_restore_bindings_action(const json::StringMap& namespace_mapping) {
  return make("velero.io/role-bindings", "rolebindings", namespace_mapping);
}

}  // namespace landfall::item_actions
