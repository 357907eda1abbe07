#pragma once

#include <mutex>

#include "control/context.h"
#include "kube/controller.h"

namespace landfall::control {

// Decides which Backup starts when: New → Queued (with a place in status.queuePosition) → ReadyToStart, where the one
// who runs backups takes over.
//
// A Backup gets its turn when fewer than `concurrent_backups` are ReadyToStart or InProgress, and when none before it
// (running, or with an earlier place) takes one of the same namespaces. A Backup that does not fit lets those behind it
// pass; the places of those that wait are 1…n. One whose filters cannot be read takes no namespace: it goes on at once,
// and is refused where Backups are checked. A Backup that is to be cancelled before its turn ends as Failed, and none
// of it has run.
//
// All Backups are one queue: whatever name it is called with, it looks at all of them as they are in the cluster, and
// keeps nothing in memory. So map every change of a Backup to one name, and many changes become one look. Calls at the
// same time wait for each other.
class BackupQueueReconciler final : public kube::Reconciler {
 public:
  struct Settings {
    int concurrent_backups = 1;  // less is 1
  };

  BackupQueueReconciler(const Context& context, Settings settings) : context_(context), settings_(settings) {}

  Result<kube::Reconciled> reconcile(const k8s::NamespacedName& name, const std::stop_token& stop) override;

 private:
  const Context context_;
  const Settings settings_;
  std::mutex one_at_a_time_;  // held over calls to the API server: that is what it is for
};

}  // namespace landfall::control
