#pragma once

#include <memory>

#include "api/restore.h"
#include "extension/item_action.h"
#include "item_actions/restore_backup_lookup.h"
#include "kube/client.h"

namespace landfall::item_actions {

// "velero.io/csi-pvc-restorer": a claim of which the backup has a CSI snapshot is filled from it: the VolumeSnapshot is
// restored before the claim and becomes its data source. Without volumes (restorePVs: false) the claim gets an empty
// volume. A claim that is in the cluster already stays as it is.
//
// Snapshots whose data was moved out of the storage cannot be restored yet: kUnsupported. The server is asked only for
// claims that would change. Borrows the client and the spec.
std::unique_ptr<extension::RestoreItemAction> make_restore_csi_claim_action(kube::Client& client,
                                                                            const api::RestoreSpec& spec,
                                                                            std::shared_ptr<BackupLookup> backup);

}  // namespace landfall::item_actions
