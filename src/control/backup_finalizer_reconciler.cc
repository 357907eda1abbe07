#include "control/backup_finalizer_reconciler.h"

#include <optional>
#include <set>

#include "api/phases.h"
#include "api/status.h"
#include "archive/archive_rewrite.h"
#include "bucket/backup_store.h"
#include "control/backup_ending.h"
#include "control/backup_metrics.h"
#include "control/change.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "k8s/object_view.h"

namespace landfall::control {

using api::BackupPhase;
using bucket::BackupArtifact;

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
    const std::string why = "backup storage location " + location + " does not exist any more";
    TRY("", end_backup(context_, backup, backup, {.why = why}, stop));
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
    const std::string why = "its files are not in backup storage location " + location + " any more";
    TRY("", end_backup(context_, backup, backup, {.why = why}, stop));
    return kube::Reconciled{};
  }
  TRY("finalize backup " + name.name, finish(backup, bucket->backups(), stop));
  return kube::Reconciled{};
}

// Late, but a backup whose bucket cannot be reached any more would otherwise never end.
Status BackupFinalizerReconciler::cancel(const json::Json& before, const FoundLocation& where,
                                         const std::stop_token& stop) {
  const std::string name(k8s::ObjectView(before).name());
  auto bucket = context_.locations.open(where, stop);
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
  const bool is_whole = api::phase_of<BackupPhase>(before) == BackupPhase::kFinalizing;
  TRY("", api::set_phase(after, is_whole ? BackupPhase::kCompleted : BackupPhase::kPartiallyFailed));
  TRY("", api::set_status_time(after, api::field::kCompletionTimestamp, context_.clock.wall_now()));
  TRY_ASSIGN(const std::optional<io::SpoolFile> archive, "", take_again(name, backups, stop));
  std::vector<bucket::NewArtifact> artifacts;
  std::optional<extension::SpoolSource> source;
  if (archive) {
    source.emplace(*archive);
    artifacts.push_back({BackupArtifact::kContents, *source});
  }
  TRY("", backups.rewrite(name, after, artifacts, stop));
  TRY("", write_change(context_.objects(api::kBackup), before, after, stop, IfChanged::kConflict));
  count_backup_end(context_.metrics, after);
  context_.log.info("Backup has ended", {{"backup", context_.name_space + "/" + name},
                                         {"phase", api::status_text(after, api::field::kPhase)}});
  return {};
}

Result<std::optional<io::SpoolFile>> BackupFinalizerReconciler::take_again(const std::string& name,
                                                                           bucket::BackupStore& backups,
                                                                           const std::stop_token& stop) {
  TRY_ASSIGN(const auto document, "", backups.read(name, BackupArtifact::kItemOperations, stop));
  if (!document) return std::optional<io::SpoolFile>();
  TRY_ASSIGN(const auto operations, "", operation::read_operations(*document, operation::OperationOwner::kBackup));
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
