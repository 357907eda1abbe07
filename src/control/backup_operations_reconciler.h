#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "control/backup_settings.h"
#include "control/context.h"
#include "control/transfer_waitable.h"
#include "kube/controller.h"
#include "operation/item_operation.h"

namespace landfall::control {

// Waits for what actions have started and what goes on after the items are stored: WaitingForPluginOperations… →
// Finalizing…. Everything that can be waited for is an extension::Waitable.
//
// The list of operations is in the bucket, so that any server can go on waiting. A Backup that is to be canceled has
// its operations canceled and leaves nothing behind.
class BackupOperationsReconciler final : public kube::Reconciler {
 public:
  BackupOperationsReconciler(const Context& context, BackupSettings settings)
      : context_(context), settings_(std::move(settings)), discovery_(context.client) {}

  Result<kube::Reconciled> reconcile(const k8s::NamespacedName& name, const std::stop_token& stop) override;

 private:
  using Operations = std::vector<operation::ItemOperation>;
  using Actions = std::vector<std::unique_ptr<extension::BackupItemAction>>;

  Result<kube::Reconciled> wait(const json::Json& before, bucket::BackupStore& backups, const std::stop_token& stop);
  Status settle(const json::Json& before, bucket::BackupStore& backups, const Operations& old,
                const Operations& operations, const std::stop_token& stop);
  Status cancel(const json::Json& before, bucket::BackupStore& backups, const Operations& operations,
                const Actions& actions, TransferWaitable& transfers, const std::stop_token& stop);
  // The results with errors added, as they are stored; empty where there are none to add.
  Result<std::string> results_with(const std::string& name, bucket::BackupStore& backups,
                                   const std::vector<std::string>& errors, const std::stop_token& stop) const;
  Status give_up(const json::Json& before, const std::string& why, const std::stop_token& stop);

  const Context context_;
  const BackupSettings settings_;
  kube::DiscoveryCache discovery_;
};

}  // namespace landfall::control
