#include "control/backup_operations_reconciler.h"

#include <algorithm>
#include <iterator>

#include "api/phases.h"
#include "api/progress_fields.h"
#include "api/status.h"
#include "bucket/artifact.h"
#include "bucket/backup_store.h"
#include "control/backup_ending.h"
#include "control/change.h"
#include "control/operation_polling.h"
#include "control/snapshot_cleanup.h"
#include "control/snapshot_ending.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::control {

using api::BackupPhase;
using bucket::BackupArtifact;
using operation::ItemOperation;
using operation::OperationPhase;

namespace {

bool is_waiting(std::optional<BackupPhase> phase) {
  return phase == BackupPhase::kWaitingForPluginOperations ||
         phase == BackupPhase::kWaitingForPluginOperationsPartiallyFailed;
}

}  // namespace

Result<kube::Reconciled> BackupOperationsReconciler::reconcile(const k8s::NamespacedName& name,
                                                               const std::stop_token& stop) {
  auto found = context_.objects(api::kBackup).get(name.name, stop);
  if (!found && found.error().code() == Code::kNotFound) {
    if (settings_.snapshots) settings_.snapshots->drop(api::kBackup, name.name);
    return kube::Reconciled{};
  }
  TRY_ASSIGN(const json::Json backup, "read backup " + name.name, std::move(found));
  if (!is_waiting(api::phase_of<BackupPhase>(backup)) || k8s::ObjectView(backup).is_being_deleted()) {
    return kube::Reconciled{};
  }
  const std::string location = json::string_or(backup, {"spec", "storageLocation"}, "");
  auto where = context_.locations.find(location, stop);
  if (!where && where.error().code() == Code::kNotFound) {
    TRY("", give_up(backup, "backup storage location " + location + " does not exist any more", stop));
    return kube::Reconciled{};
  }
  if (!where) return fail("backup storage location " + location, std::move(where).error());
  if (where->view.is_read_only) {
    TRY("", give_up(backup, "backup storage location " + location + " has become read-only", stop));
    return kube::Reconciled{};
  }
  TRY_ASSIGN(const auto bucket, "", context_.locations.open(*where, stop));
  return wait(backup, bucket->backups(), stop);
}

Result<kube::Reconciled> BackupOperationsReconciler::wait(const json::Json& before, bucket::BackupStore& backups,
                                                          const std::stop_token& stop) {
  const std::string name(k8s::ObjectView(before).name());
  TRY_ASSIGN(const auto document, "operations of backup " + name,
             backups.read(name, BackupArtifact::kItemOperations, stop));
  Operations old;
  if (document) {
    TRY_ASSIGN(old, "backup " + name, operation::read_operations(*document, operation::OperationOwner::kBackup));
  }
  TRY_ASSIGN(const auto discovery, "", discovery_.get(stop));
  Actions actions;
  if (settings_.make_actions) actions = settings_.make_actions(context_.client, *discovery);
  TransferWaitable transfers(context_, settings_.snapshots);
  // Plugins are started only when an operation may be theirs.
  const bool asks_plugins = std::ranges::any_of(old, [&](const ItemOperation& one) {
    return !is_final(one.phase) && transfers.or_of(actions, one.action) == nullptr;
  });
  if (asks_plugins && settings_.plugins != nullptr) {
    TRY_ASSIGN(auto of_plugins, "actions of plugins", settings_.plugins->backup_actions(context_.log, stop));
    std::ranges::move(of_plugins, std::back_inserter(actions));
  }
  if (api::is_cancel_wanted(before)) {
    TRY("", cancel(before, backups, old, actions, transfers, stop));
    return kube::Reconciled{};
  }
  auto spec = api::read_backup_spec(before);
  const Duration timeout = spec && spec->item_operation_timeout > Duration::zero()
                               ? spec->item_operation_timeout
                               : settings_.defaults.item_operation_timeout;
  Operations operations = old;
  for (ItemOperation& operation : operations) {
    if (is_final(operation.phase)) continue;
    ask_operation(context_, operation, transfers.or_of(actions, operation.action), before, timeout, stop);
  }
  if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
  TRY("", settle(before, backups, old, operations, stop));
  const bool is_over = std::ranges::all_of(operations, [](const auto& one) { return is_final(one.phase); });
  if (is_over) return kube::Reconciled{};
  return kube::Reconciled{.again_after = settings_.operation_sync_frequency};
}

Status BackupOperationsReconciler::settle(const json::Json& before, bucket::BackupStore& backups, const Operations& old,
                                          const Operations& operations, const std::stop_token& stop) {
  const std::int64_t failed = count(operations, OperationPhase::kFailed);
  // By what the Backup says: the list may have been stored by a try that could not write the Backup any more.
  const std::int64_t new_failures = failed - api::status_count(before, "backupItemOperationsFailed");
  const std::int64_t completed = count(operations, OperationPhase::kCompleted);
  const bool is_over = completed + failed == static_cast<std::int64_t>(operations.size());
  json::Json after = before;
  if (new_failures > 0) {
    TRY("", api::set_status_count(after, api::field::kErrors,
                                  api::status_count(before, api::field::kErrors) + new_failures));
  }
  TRY("", api::set_backup_operations(
              after,
              {.attempted = static_cast<std::int64_t>(operations.size()), .completed = completed, .failed = failed}));
  const bool has_errors = api::status_count(after, api::field::kErrors) > 0;
  const BackupPhase waiting =
      has_errors ? BackupPhase::kWaitingForPluginOperationsPartiallyFailed : BackupPhase::kWaitingForPluginOperations;
  const BackupPhase ended = has_errors ? BackupPhase::kFinalizingPartiallyFailed : BackupPhase::kFinalizing;
  TRY("", api::set_phase(after, is_over ? ended : waiting));
  if (auto progress = api::read_item_progress(before); progress && is_over) {
    progress->step = progress::ItemStep::kFinalizing;
    TRY("", api::set_backup_progress(after, *progress));
  }
  if (is_over || new_failures > 0) {
    const std::string bytes =
        bucket::encode(operation::to_json(operations, operation::OperationOwner::kBackup), bucket::Form::kGzipJson);
    const extension::BytesSource source(bytes);
    std::vector<bucket::NewArtifact> artifacts;
    const std::string name(k8s::ObjectView(before).name());
    TRY_ASSIGN(const std::string results, "",
               results_with(name, backups, new_transfer_failures(old, operations), stop));
    const extension::BytesSource results_source(results);
    // Before the list, by which the next try knows which failures are new.
    if (!results.empty()) artifacts.push_back({BackupArtifact::kResults, results_source});
    artifacts.push_back({BackupArtifact::kItemOperations, source});
    TRY("", backups.rewrite(name, after, artifacts, stop));
  }
  return write_change(context_.objects(api::kBackup), before, after, stop, IfChanged::kConflict);
}

Result<std::string> BackupOperationsReconciler::results_with(const std::string& name, bucket::BackupStore& backups,
                                                             const std::vector<std::string>& errors,
                                                             const std::stop_token& stop) const {
  if (errors.empty()) return std::string();
  TRY_ASSIGN(const auto stored, "", backups.read(name, BackupArtifact::kResults, stop));
  TRY_ASSIGN(const json::Json results, "", with_cluster_errors(stored.value_or(json::Json()), errors));
  return bucket::encode(results, bucket::Form::kGzipJson);
}

Status BackupOperationsReconciler::cancel(const json::Json& before, bucket::BackupStore& backups,
                                          const Operations& operations, const Actions& actions,
                                          TransferWaitable& transfers, const std::stop_token& stop) {
  for (const ItemOperation& operation : operations) {
    cancel_operation(context_, operation, transfers.or_of(actions, operation.action), before, stop);
  }
  if (settings_.snapshots && api::status_count(before, api::field::kVolumeSnapshotsAttempted) > 0) {
    const auto snapshotters = settings_.snapshots->of(context_, before, context_.log);
    const Status gone = delete_snapshots_of(context_, *snapshotters, before, backups, stop);
    if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
    if (!gone) context_.log.warning("Snapshots of a canceled backup are left behind", {LogField(gone.error())});
    settings_.snapshots->drop(api::kBackup, std::string(k8s::ObjectView(before).name()));
  }
  TRY("", backups.remove_backup(std::string(k8s::ObjectView(before).name()), stop));
  return end_backup(context_, before, before, {.is_canceled = true}, stop);
}

Status BackupOperationsReconciler::give_up(const json::Json& before, const std::string& why,
                                           const std::stop_token& stop) {
  if (settings_.snapshots) settings_.snapshots->drop(api::kBackup, std::string(k8s::ObjectView(before).name()));
  return end_backup(context_, before, before, {.phase = BackupPhase::kPartiallyFailed, .why = why}, stop);
}

}  // namespace landfall::control
