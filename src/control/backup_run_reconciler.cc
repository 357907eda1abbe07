#include "control/backup_run_reconciler.h"

#include <utility>

#include "api/phases.h"
#include "api/status.h"
#include "control/backup_execution.h"
#include "k8s/object_view.h"

namespace landfall::control {

using api::BackupPhase;

Result<kube::Reconciled> BackupRunReconciler::reconcile(const k8s::NamespacedName& name, const std::stop_token& stop) {
  auto found = context_.objects(api::kBackup).get(name.name, stop);
  if (!found && found.error().code() == Code::kNotFound) return kube::Reconciled{};
  TRY_ASSIGN(json::Json backup, "read backup " + name.name, std::move(found));
  if (k8s::ObjectView(backup).is_being_deleted()) return kube::Reconciled{};
  const auto phase = api::phase_of<BackupPhase>(backup);
  if (phase != BackupPhase::kReadyToStart && phase != BackupPhase::kInProgress) return kube::Reconciled{};
  return start(std::move(backup), stop);
}

Result<kube::Reconciled> BackupRunReconciler::start(json::Json backup, const std::stop_token& stop) {
  const bool is_second_try = api::phase_of<BackupPhase>(backup) == BackupPhase::kInProgress;
  TRY_ASSIGN(PreparedBackup prepared, "prepare backup", prepare_backup(context_, settings_, discovery_, backup, stop));
  if (is_second_try && prepared.is_location_away) {
    return fail(Code::kUnavailable, "backup storage location " + prepared.location->name + " is not available");
  }
  BackupExecution execution(context_, settings_, std::move(prepared));
  if (execution.prepared().problems.empty() || is_second_try) {
    TRY("", execution.look_into_bucket(is_second_try, stop));
  }
  if (api::is_cancel_wanted(backup)) {
    TRY("", execution.cancel_before_start(backup, stop));
  } else if (!execution.prepared().problems.empty() && !execution.is_stored()) {
    TRY("", execution.refuse(backup, is_second_try, stop));
  } else {
    TRY("", execution.run(backup, is_second_try, stop));
  }
  return kube::Reconciled{};
}

}  // namespace landfall::control
