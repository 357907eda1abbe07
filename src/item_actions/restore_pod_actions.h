#pragma once

#include <memory>

#include "extension/item_action.h"

// What a restore does to pods.
namespace landfall::item_actions {

// "velero.io/add-pvc-from-pod": the claims of a pod's volumes are restored before it.
std::unique_ptr<extension::RestoreItemAction> make_restore_pod_claims_action();

// "velero.io/pod": the pod may run on any node, gets its priority from its PriorityClass, which is restored before it,
// and loses the volume with its service account's token, which the cluster makes anew.
std::unique_ptr<extension::RestoreItemAction> make_restore_pod_action();

}  // namespace landfall::item_actions
