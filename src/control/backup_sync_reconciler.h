#pragma once

#include <chrono>
#include <stop_token>

#include "base/clock.h"
#include "base/result.h"
#include "control/context.h"
#include "kube/controller.h"

namespace landfall::control {

// Makes the Backups of a bucket appear in this cluster, with their PodVolumeBackups and VolumePluginBackups, and those
// that have vanished from it disappear. Key: the name of the BackupStorageLocation.
//
// A backup that cannot be taken over is logged, tried again the next time, and in nobody's way. Only backups that are
// not here yet are read: a period costs one listing of folders and one list of Backups, page by page. Thread-safe.
class BackupSyncReconciler final : public kube::Reconciler {
 public:
  struct Settings {
    // Of locations that do not say.
    Duration period = std::chrono::minutes(1);
  };
  BackupSyncReconciler(const Context& context, Settings settings) : context_(context), settings_(settings) {}

  Result<kube::Reconciled> reconcile(const k8s::NamespacedName& name, const std::stop_token& stop) override;

 private:
  Status sync(const FoundLocation& location, const std::stop_token& stop) const;

  const Context context_;
  const Settings settings_;
};

}  // namespace landfall::control
