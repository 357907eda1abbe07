#pragma once

#include <memory>

#include "extension/item_action.h"
#include "hooks/restore_hooks.h"

namespace landfall::hooks {

inline constexpr std::string_view kInitHookAction = "velero.io/init-restore-hook";

// The restore action that puts the init containers of restore hooks into pods: before the pod's own, but after
// restore-wait, which fills the volumes that they may want to see. The namespaces of hooks are those in the cluster.
std::unique_ptr<extension::RestoreItemAction> make_init_hook_action(RestoreHooks hooks,
                                                                    json::StringMap namespace_mapping);

}  // namespace landfall::hooks
