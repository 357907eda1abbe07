#pragma once

#include <memory>

#include "api/restore.h"
#include "base/log.h"
#include "extension/item_action.h"
#include "item_actions/restore_group_snapshot.h"
#include "kube/client.h"

// What a restore does to CSI snapshots: they come back under new names, bound to the snapshots that are still in the
// storage, and deleting them in the cluster deletes nothing there. A restore without volumes (restorePVs: false) skips
// them all.
namespace landfall::item_actions {

// "velero.io/csi-volumesnapshot-restorer": the VolumeSnapshot is taken from its VolumeSnapshotContent, which is
// restored before it. kInvalid when the backup does not name one. A failed stub of its group is only logged.
std::unique_ptr<extension::RestoreItemAction> make_restore_snapshot_action(const api::RestoreSpec& spec,
                                                                           std::unique_ptr<GroupSnapshotStubs> stubs,
                                                                           Logger log);

// "velero.io/csi-volumesnapshotclass-restorer": the secret for listing snapshots is restored before the class.
std::unique_ptr<extension::RestoreItemAction> make_restore_snapshot_class_action(const api::RestoreSpec& spec);

// "velero.io/csi-volumesnapshotcontent-restorer": the content points at the snapshot's handle. Its class becomes the
// first of the cluster that is for its driver, if there is one: some drivers find their credentials by it. kInvalid
// when the backup has no handle. The secret for deleting snapshots is restored before it. Borrows client and spec.
std::unique_ptr<extension::RestoreItemAction> make_restore_snapshot_content_action(kube::Client& client,
                                                                                   const api::RestoreSpec& spec,
                                                                                   Logger log);

}  // namespace landfall::item_actions
