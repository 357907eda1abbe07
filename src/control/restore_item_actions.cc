#include "control/restore_item_actions.h"

#include <algorithm>

#include "hooks/init_hook_action.h"

namespace landfall::control {

RestoreActions restore_actions_of(const RestoreSettings& settings, const item_actions::RestoreActionContext& context,
                                  const kube::Discovery& discovery, const hooks::RestoreHooks& hooks) {
  RestoreActions actions;
  if (settings.make_actions) actions = settings.make_actions(context, discovery);
  actions.push_back(hooks::make_init_hook_action(hooks, context.spec.namespace_mapping));
  std::ranges::stable_sort(actions, {}, [](const auto& action) { return action->name(); });
  return actions;
}

}  // namespace landfall::control
