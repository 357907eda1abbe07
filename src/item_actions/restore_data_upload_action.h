#pragma once

#include <memory>
#include <string>

#include "extension/item_action.h"
#include "item_actions/restore_backup_lookup.h"
#include "kube/client.h"

namespace landfall::item_actions {

// "velero.io/dataupload": a DataUpload is not restored; what it says about the data that it has moved goes into a
// ConfigMap in the server's namespace, where those find it by its labels who restore the claim.
//
// Velero gives the ConfigMap a random name. Ours follows from the DataUpload and the Restore, so that a restore that
// goes on after a crash does not make a second one, which would be an error for the claim. Borrows the client.
std::unique_ptr<extension::RestoreItemAction> make_restore_data_upload_action(kube::Client& client,
                                                                              std::string name_space,
                                                                              std::shared_ptr<BackupLookup> backup);

}  // namespace landfall::item_actions
