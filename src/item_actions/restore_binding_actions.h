#pragma once

#include <memory>

#include "extension/item_action.h"
#include "json/access.h"

// What a restore into other namespaces does to bindings: their subjects follow.
namespace landfall::item_actions {

// "velero.io/cluster-role-bindings". The mapping (from → to) is borrowed.
std::unique_ptr<extension::RestoreItemAction> make_restore_cluster_bindings_action(
    const json::StringMap& namespace_mapping);

// "velero.io/role-bindings".
std::unique_ptr<extension::RestoreItemAction> make_restore_bindings_action(const json::StringMap& namespace_mapping);

}  // namespace landfall::item_actions
