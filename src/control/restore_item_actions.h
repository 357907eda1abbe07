#pragma once

#include <memory>
#include <vector>

#include "control/restore_settings.h"
#include "extension/item_action.h"
#include "hooks/restore_hooks.h"
#include "item_actions/restore_actions.h"
#include "kube/discovery.h"

namespace landfall::control {

using RestoreActions = std::vector<std::unique_ptr<extension::RestoreItemAction>>;

// Those of plugins are opened once, and are asked for more than once in a restore.
using SharedRestoreActions = std::vector<std::shared_ptr<extension::RestoreItemAction>>;
Result<SharedRestoreActions> open_plugin_actions(const RestoreSettings& settings, const Logger& log,
                                                 const std::stop_token& stop);

// All actions of a restore in the order in which they run, by name: those of the settings, those of plugins, and the
// one that puts in the init containers of hooks. What the context refers to outlives them.
RestoreActions restore_actions_of(const RestoreSettings& settings, const item_actions::RestoreActionContext& context,
                                  const kube::Discovery& discovery, const hooks::RestoreHooks& hooks,
                                  const SharedRestoreActions& of_plugins);

}  // namespace landfall::control
