#pragma once

#include <memory>
#include <string_view>

#include "extension/item_action.h"
#include "hooks/restore_hooks.h"
#include "json/access.h"

namespace landfall::hooks {

inline constexpr std::string_view kInitHookAction = "velero.io/init-restore-hook";

// The restore action that puts the init containers of restore hooks into pods: before the pod's own, but after a
// leading restore-wait, which fills the volumes that they may want to see. One of the same name that is there already
// is replaced. The namespaces of hooks are those in the cluster.
std::unique_ptr<extension::RestoreItemAction> make_init_hook_action(RestoreHooks hooks,
                                                                    json::StringMap namespace_mapping);

}  // namespace landfall::hooks
