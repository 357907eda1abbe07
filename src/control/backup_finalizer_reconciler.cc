#include "control/backup_finalizer_reconciler.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>

#include "api/phases.h"
#include "api/status.h"
#include "archive/archive_rewrite.h"
#include "bucket/artifact.h"
#include "bucket/backup_store.h"
#include "control/backup_ending.h"
#include "control/backup_metrics.h"
#include "control/change.h"
#include "control/csi_backup_infos.h"
#include "control/operation_polling.h"
#include "control/plugin_transfer.h"
#include "control/snapshot_cleanup.h"
#include "control/snapshot_ending.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "k8s/object_view.h"

namespace landfall::control {

using api::BackupPhase;
using bucket::BackupArtifact;

namespace {

Status set_outcome(json::Json& backup, const SnapshotEnding& snapshots, WallTime now) {
  // Not by late failures alone: a try that could not write the Backup any more may have stored some as failed.
  const bool is_whole = api::phase_of<BackupPhase>(backup) == BackupPhase::kFinalizing && snapshots.failed == 0;
  TRY("", api::set_phase(backup, is_whole ? BackupPhase::kCompleted : BackupPhase::kPartiallyFailed));
  TRY("", api::set_status_time(backup, api::field::kCompletionTimestamp, now));
  if (!snapshots.completed) return {};
  TRY("", api::set_status_count(backup, api::field::kVolumeSnapshotsCompleted, *snapshots.completed));
  const std::int64_t errors =
      api::status_count(backup, api::field::kErrors) + static_cast<std::int64_t>(snapshots.late_failures.size());
  return api::set_status_count(backup, api::field::kErrors, std::max(errors, snapshots.failed));
}

}  // namespace

Result<kube::Reconciled> BackupFinalizerReconciler::reconcile(const k8s::NamespacedName& name,
                                                              const std::stop_token& stop) {
  auto found = context_.objects(api::kBackup).get(name.name, stop);
  if (!found && found.error().code() == Code::kNotFound) return kube::Reconciled{};
  TRY_ASSIGN(const json::Json backup, "read backup " + name.name, std::move(found));
  const auto phase = api::phase_of<BackupPhase>(backup);
  if (phase != BackupPhase::kFinalizing && phase != BackupPhase::kFinalizingPartiallyFailed) return kube::Reconciled{};
  if (k8s::ObjectView(backup).is_being_deleted()) return kube::Reconciled{};

  const std::string location = json::string_or(backup, {"spec", "storageLocation"}, "");
  auto where = context_.locations.find(location, stop);
  if (!where && where.error().code() == Code::kNotFound) {
    TRY("", give_up(backup, "backup storage location " + location + " does not exist any more", stop));
    return kube::Reconciled{};
  }
  if (!where) return fail("backup storage location " + location, std::move(where).error());
  if (api::is_cancel_wanted(backup)) {
    TRY("", cancel(backup, *where, stop));
    return kube::Reconciled{};
  }
  TRY_ASSIGN(const auto bucket, "", context_.locations.open(*where, stop));
  TRY_ASSIGN(const bool is_there, "", bucket->backups().has_backup(name.name, stop));
  if (!is_there) {
    TRY("", give_up(backup, "its files are not in backup storage location " + location + " any more", stop));
    return kube::Reconciled{};
  }
  TRY("finalize backup " + name.name, finish(backup, bucket->backups(), stop));
  return kube::Reconciled{};
}

Status BackupFinalizerReconciler::give_up(const json::Json& before, const std::string& why,
                                          const std::stop_token& stop) {
  if (settings_.snapshots) settings_.snapshots->drop(api::kBackup, std::string(k8s::ObjectView(before).name()));
  return end_backup(context_, before, before, {.why = why}, stop);
}

// Late, but a backup whose bucket cannot be reached any more would otherwise never end.
Status BackupFinalizerReconciler::cancel(const json::Json& before, const FoundLocation& where,
                                         const std::stop_token& stop) {
  const std::string name(k8s::ObjectView(before).name());
  auto bucket = context_.locations.open(where, stop);
  if (bucket && settings_.snapshots && api::status_count(before, api::field::kVolumeSnapshotsAttempted) > 0) {
    Snapshotters snapshotters(context_, context_.log);
    const Status gone = delete_snapshots_of(context_, snapshotters, before, (*bucket)->backups(), stop);
    if (!gone) context_.log.warning("Snapshots of a canceled backup are left behind", {LogField(gone.error())});
  }
  if (settings_.snapshots) settings_.snapshots->drop(api::kBackup, name);
  const Status removed =
      bucket ? (*bucket)->backups().remove_backup(name, stop) : Status(tl::unexpected<Error>(bucket.error()));
  if (!removed && (is_retryable(removed.error().code()) || stop.stop_requested())) return removed;
  std::string why;
  if (!removed) why = "canceled, but its files could not be removed: " + removed.error().message();
  return end_backup(context_, before, before, {.why = why, .is_canceled = true}, stop);
}

Status BackupFinalizerReconciler::finish(const json::Json& before, bucket::BackupStore& backups,
                                         const std::stop_token& stop) {
  const std::string name(k8s::ObjectView(before).name());
  json::Json after = before;
  TRY_ASSIGN(const std::vector<operation::ItemOperation> operations, "", operations_of(name, backups, stop));
  TRY_ASSIGN(SnapshotEnding snapshots, "snapshots", end_snapshots(context_, before, backups, operations, stop));
  // Also those that a try before this one has added without being able to write the Backup.
  const bool is_over = std::ranges::all_of(
      operations, [](const auto& one) { return one.action != kSnapshotAction || is_final(one.phase); });
  if (!snapshots.late.empty() || !is_over) return wait_again(before, backups, operations, snapshots.late, stop);
  TRY_ASSIGN(const std::optional<json::Json> volume_infos, "volume information",
             end_csi_infos(context_, before, backups, operations, std::move(snapshots.volume_infos), stop));
  TRY("", set_outcome(after, snapshots, context_.clock.wall_now()));
  TRY_ASSIGN(const std::optional<io::SpoolFile> archive, "", take_again(name, operations, backups, stop));
  std::vector<bucket::NewArtifact> artifacts;
  std::vector<std::unique_ptr<std::string>> bytes;
  std::vector<std::unique_ptr<extension::BytesSource>> sources;
  const auto add = [&](BackupArtifact artifact, const json::Json& document) {
    bytes.push_back(std::make_unique<std::string>(bucket::encode(document, bucket::Form::kGzipJson)));
    sources.push_back(std::make_unique<extension::BytesSource>(*bytes.back()));
    artifacts.push_back({artifact, *sources.back()});
  };
  if (volume_infos) add(BackupArtifact::kVolumeInfos, *volume_infos);
  if (snapshots.resources) add(BackupArtifact::kVolumePluginBackups, *snapshots.resources);
  if (!snapshots.late_failures.empty()) {
    TRY_ASSIGN(const auto stored, "", backups.read(name, BackupArtifact::kResults, stop));
    TRY_ASSIGN(const json::Json results, "",
               with_cluster_errors(stored.value_or(json::Json()), snapshots.late_failures));
    add(BackupArtifact::kResults, results);
  }
  // After what tells why: the next try takes no failed one for new.
  if (snapshots.records) add(BackupArtifact::kVolumeSnapshots, *snapshots.records);
  std::optional<extension::SpoolSource> source;
  if (archive) {
    source.emplace(*archive);
    artifacts.push_back({BackupArtifact::kContents, *source});
  }
  TRY("", backups.rewrite(name, after, artifacts, stop));
  TRY("", write_change(context_.objects(api::kBackup), before, after, stop, IfChanged::kConflict));
  if (settings_.snapshots) settings_.snapshots->drop(api::kBackup, name);
  count_backup_end(context_.metrics, after);
  context_.log.info("Backup has ended", {{"backup", context_.name_space + "/" + name},
                                         {"phase", api::status_text(after, api::field::kPhase)}});
  return {};
}

Result<std::vector<operation::ItemOperation>> BackupFinalizerReconciler::operations_of(
    const std::string& name, bucket::BackupStore& backups, const std::stop_token& stop) const {
  TRY_ASSIGN(const auto document, "", backups.read(name, BackupArtifact::kItemOperations, stop));
  if (!document) return std::vector<operation::ItemOperation>();
  return operation::read_operations(*document, operation::OperationOwner::kBackup);
}

// A plugin has begun to tell of a snapshot after the run: it is waited for as if it had done so at once.
Status BackupFinalizerReconciler::wait_again(const json::Json& before, bucket::BackupStore& backups,
                                             std::vector<operation::ItemOperation> operations,
                                             const std::vector<operation::ItemOperation>& late,
                                             const std::stop_token& stop) {
  operations.insert(operations.end(), late.begin(), late.end());
  const bool is_whole = api::phase_of<BackupPhase>(before) == BackupPhase::kFinalizing;
  json::Json after = before;
  TRY("", api::set_phase(after, is_whole ? BackupPhase::kWaitingForPluginOperations
                                         : BackupPhase::kWaitingForPluginOperationsPartiallyFailed));
  TRY("", api::set_backup_operations(after, {.attempted = static_cast<std::int64_t>(operations.size()),
                                             .completed = count(operations, operation::OperationPhase::kCompleted),
                                             .failed = count(operations, operation::OperationPhase::kFailed)}));
  const std::string bytes =
      bucket::encode(operation::to_json(operations, operation::OperationOwner::kBackup), bucket::Form::kGzipJson);
  const extension::BytesSource source(bytes);
  TRY("", backups.rewrite(std::string(k8s::ObjectView(before).name()), after,
                          {{BackupArtifact::kItemOperations, source}}, stop));
  return write_change(context_.objects(api::kBackup), before, after, stop, IfChanged::kConflict);
}

Result<std::optional<io::SpoolFile>> BackupFinalizerReconciler::take_again(
    const std::string& name, const std::vector<operation::ItemOperation>& operations, bucket::BackupStore& backups,
    const std::stop_token& stop) {
  std::set<k8s::ObjectRef> wanted;
  for (const operation::ItemOperation& one : operations) {
    wanted.insert(one.after_operation.begin(), one.after_operation.end());
  }
  if (wanted.empty()) return std::optional<io::SpoolFile>();
  TRY_ASSIGN(io::SpoolFile file, "take items again after their operations",
             rewrite(name, backups, {wanted.begin(), wanted.end()}, stop));
  return std::optional<io::SpoolFile>(std::move(file));
}

Result<io::SpoolFile> BackupFinalizerReconciler::rewrite(const std::string& name, bucket::BackupStore& backups,
                                                         const std::vector<k8s::ObjectRef>& wanted,
                                                         const std::stop_token& stop) {
  TRY_ASSIGN(const auto discovery, "", discovery_.refresh(stop));
  std::vector<archive::Replacement> replacements;
  for (const k8s::ObjectRef& ref : wanted) {
    const kube::ApiResource* resource = discovery->find(ref.resource);
    if (resource == nullptr) continue;
    auto object = kube::Resource(context_.client, resource->id, ref.name_space).get(ref.name, stop);
    if (!object && object.error().code() == Code::kNotFound) {
      context_.log.warning("Item is gone after its operation", {{"backup", name}, {"name", to_string(ref)}});
      continue;
    }
    if (!object) return fail(to_string(ref), std::move(object).error());
    replacements.push_back({.key = {.resource = ref.resource,
                                    .version = resource->id.version,
                                    .namespace_name = ref.name_space,
                                    .name = ref.name},
                            .json = [text = json::dump(*object)]() -> Result<std::string> { return text; }});
  }
  TRY_ASSIGN(const auto old, "", backups.open(name, BackupArtifact::kContents, stop));
  TRY_ASSIGN(io::SpoolFile file, "", io::SpoolFile::create(settings_.spool_directory));
  TRY("", archive::rewrite_archive(*old, replacements, {.written_at = context_.clock.wall_now()}, file, stop, {}));
  TRY("", file.close());
  return file;
}

}  // namespace landfall::control
