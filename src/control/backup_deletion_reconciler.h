#pragma once

#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "base/result.h"
#include "control/backup_cleanup.h"
#include "control/backup_deletion.h"
#include "control/context.h"
#include "extension/item_action.h"
#include "json/json_fwd.h"
#include "kube/controller.h"

namespace landfall::control {

// Obeys DeleteBackupRequests: a backup goes with its items' leftovers (delete actions), the data of its volumes, its
// folder in the bucket, its restores and their files, and at last its Backup. Key: the request's name.
//
// The Backup goes last, and every step may be done again, so a deletion that was interrupted anywhere is found by its
// request (InProgress) and started over. What cannot be deleted is refused before anything is touched: the errors are
// in the request's status, and the Backup is as it was. After an error later on it stays in phase Deleting, as in
// Velero; a new request tries again. Thread-safe; two requests for one backup are obeyed one after the other.
class BackupDeletionReconciler final : public kube::Reconciler {
 public:
  using Settings = BackupDeletionSettings;
  // Cleanups and actions are borrowed.
  BackupDeletionReconciler(const Context& context, Settings settings, std::vector<BackupCleanup*> cleanups,
                           std::vector<extension::DeleteItemAction*> actions);

  Result<kube::Reconciled> reconcile(const k8s::NamespacedName& name, const std::stop_token& stop) override;

 private:
  Result<kube::Reconciled> sweep(const json::Json& request, const std::stop_token& stop) const;

  const DeletionTools tools_;
  Guarded<std::set<std::string>> busy_;  // backups that are being deleted right now
};

}  // namespace landfall::control
