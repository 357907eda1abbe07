#pragma once

#include <memory>

#include "extension/item_action.h"

namespace landfall::item_actions {

// "velero.io/pvc": a PersistentVolumeClaim forgets to which volume, provisioner and node it was bound, and what the
// backup has noted on it. The volume that it was bound to in the backup is restored before it.
std::unique_ptr<extension::RestoreItemAction> make_restore_claim_action();

}  // namespace landfall::item_actions
