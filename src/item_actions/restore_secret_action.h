#pragma once

#include <memory>

#include "extension/item_action.h"
#include "kube/client.h"

namespace landfall::item_actions {

// "velero.io/secret": about secrets with a service account's token. One that a cluster made by itself for a service
// account S ("S-token-…") is not restored: the cluster makes a new one. From one made by hand the token goes, which the
// cluster fills in again.
//
// As in Velero, the service accounts are those that the cluster has in the namespace of the backup, whatever the
// mapping; they are restored before secrets. They are listed once a namespace. Borrows the client.
std::unique_ptr<extension::RestoreItemAction> make_restore_secret_action(kube::Client& client);

}  // namespace landfall::item_actions
