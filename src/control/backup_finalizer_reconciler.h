#pragma once

#include <stop_token>
#include <utility>
#include <vector>

#include "control/backup_settings.h"
#include "control/context.h"
#include "io/spool_file.h"
#include "kube/controller.h"
#include "operation/item_operation.h"

namespace landfall::control {

// Finalizing… → Completed or PartiallyFailed: objects that were to be taken again after their operations are put into
// the archive, and the last state of the Backup is stored, in the bucket first. Doing it twice does no harm.
class BackupFinalizerReconciler final : public kube::Reconciler {
 public:
  BackupFinalizerReconciler(const Context& context, BackupSettings settings)
      : context_(context), settings_(std::move(settings)), discovery_(context.client) {}

  Result<kube::Reconciled> reconcile(const k8s::NamespacedName& name, const std::stop_token& stop) override;

 private:
  Status give_up(const json::Json& before, const std::string& why, const std::stop_token& stop);
  Status cancel(const json::Json& before, const FoundLocation& where, const std::stop_token& stop);
  Status finish(const json::Json& before, bucket::BackupStore& backups, const std::stop_token& stop);
  Result<std::vector<operation::ItemOperation>> operations_of(const std::string& name, bucket::BackupStore& backups,
                                                              const std::stop_token& stop) const;
  Status wait_again(const json::Json& before, bucket::BackupStore& backups,
                    std::vector<operation::ItemOperation> operations, const std::vector<operation::ItemOperation>& late,
                    const std::stop_token& stop);
  Result<std::optional<io::SpoolFile>> take_again(const std::string& name,
                                                  const std::vector<operation::ItemOperation>& operations,
                                                  bucket::BackupStore& backups, const std::stop_token& stop);
  Result<io::SpoolFile> rewrite(const std::string& name, bucket::BackupStore& backups,
                                const std::vector<k8s::ObjectRef>& wanted, const std::stop_token& stop);

  const Context context_;
  const BackupSettings settings_;
  kube::DiscoveryCache discovery_;
};

}  // namespace landfall::control
