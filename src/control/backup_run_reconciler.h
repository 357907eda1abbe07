#pragma once

#include <memory>
#include <stop_token>

#include "control/backup_preparation.h"
#include "control/backup_settings.h"
#include "control/context.h"
#include "kube/cache.h"
#include "kube/controller.h"
#include "kube/discovery.h"

namespace landfall::control {

// Runs backups: ReadyToStart → InProgress → WaitingForPluginOperations… or Finalizing…, or FailedValidation, Failed.
//
// A call lasts as long as the backup, so the number of workers is the number of backups at a time. A Backup that is
// found InProgress, because a server died over it, is run again from the start, after what it left in the bucket has
// been removed; if it had been stored already, it goes on from there. When this server stops, the Backup stays
// InProgress for the next one.
class BackupRunReconciler final : public kube::Reconciler {
 public:
  BackupRunReconciler(const Context& context, BackupSettings settings)
      : context_(context), settings_(std::move(settings)), discovery_(context.client) {}

  Result<kube::Reconciled> reconcile(const k8s::NamespacedName& name, const std::stop_token& stop) override;

 private:
  Result<kube::Reconciled> start(json::Json backup, const std::stop_token& stop);

  const Context context_;
  const BackupSettings settings_;
  kube::DiscoveryCache discovery_;
};

}  // namespace landfall::control
