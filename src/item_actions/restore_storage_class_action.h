#pragma once

#include <memory>

#include "extension/item_action.h"
#include "item_actions/restore_plugin_configs.h"
#include "kube/client.h"

namespace landfall::item_actions {

// "velero.io/change-storage-class": claims, volumes and the claims that StatefulSets make change their storage class as
// its ConfigMap says (old: new). The new class must be in the cluster, else the object fails; each class is looked up
// once. Borrows the client.
std::unique_ptr<extension::RestoreItemAction> make_restore_storage_class_action(kube::Client& client,
                                                                                std::shared_ptr<PluginConfigs> configs);

}  // namespace landfall::item_actions
