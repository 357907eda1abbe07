#include "control/backup_deletion.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "api/labels.h"
#include "api/names.h"
#include "api/status.h"
#include "base/strings.h"
#include "control/change.h"
#include "control/delete_actions.h"
#include "control/deletion_requests.h"
#include "control/snapshot_cleanup.h"
#include "control/volume_data.h"
#include "json/access.h"
#include "k8s/names.h"
#include "k8s/object_view.h"
#include "metrics/server_metrics.h"

namespace landfall::control {
namespace {

using api::BackupPhase;
using json::Json;
using k8s::ObjectView;

// When a location may be back that was available when the deletion began.
constexpr Duration kLocationRetry = std::chrono::seconds(30);
constexpr Duration kInUseRetry = std::chrono::seconds(15);
constexpr Duration kRestorePoll = std::chrono::milliseconds(500);

bool is_over(const Json& restore) {
  const auto phase = api::phase_of<api::RestorePhase>(restore);
  return phase && is_final(*phase);
}

bool has_started(const Json& backup) { return api::status_time(backup, api::field::kStartTimestamp).has_value(); }

// Of the Backup in a bucket: there is none that can be read, now or later.
bool says_unfinished(Code code) {
  return code == Code::kNotFound || code == Code::kDataLoss || code == Code::kTooLarge;
}

// One that is gone already, or is another by now, is no error.
Status remove_object(const kube::Resource& resource, const Json& object, const std::stop_token& stop) {
  const ObjectView view(object);
  const auto removed = resource.remove(std::string(view.name()), stop, {.uid = std::string(view.uid())});
  if (removed || removed.error().code() == Code::kNotFound) return {};
  return fail(fmt::format("delete {} {}", resource.id().resource, view.name()), removed.error());
}

}  // namespace

BackupDeletion::BackupDeletion(const DeletionTools& tools, Json request, const std::stop_token& stop)
    : tools_(tools),
      context_(tools.context),
      request_(std::move(request)),
      stop_(stop),
      name_(json::string_or(request_, {"spec", "backupName"}, "")),
      log_(tools.context.log.with({{"backup", name_}})),
      is_begun_(api::phase_of<api::DeletionPhase>(request_) == api::DeletionPhase::kInProgress) {}

Result<kube::Reconciled> BackupDeletion::run() {
  if (name_.empty()) return refuse("spec.backupName: the name of a backup is needed");
  if (const auto problems = k8s::dns1123_subdomain_problems(name_); !problems.empty()) {
    return refuse("spec.backupName: " + k8s::joined(problems));
  }
  TRY("", remove_requests(Which::kOthers));
  auto backup = context_.objects(api::kBackup).get(name_, stop_);
  if (!backup && backup.error().code() == Code::kNotFound) {
    // Of a deletion that was interrupted it was the last thing to go.
    if (is_begun_) return complete();
    return refuse("backup not found");
  }
  if (!backup) return fail("", std::move(backup).error());
  backup_ = *std::move(backup);

  TRY_ASSIGN(const std::optional<std::string> why_not, "", obstacle());
  if (why_not) return refuse(*why_not);
  TRY_ASSIGN(const Readiness readiness, "", open_bucket());
  if (readiness == Readiness::kLater) return kube::Reconciled{.again_after = kLocationRetry};
  if (readiness == Readiness::kReady) TRY("", look_into_bucket());
  if (!problems_.empty()) return end_with_problems();

  TRY("", begin());
  remove_data();
  TRY("", stopped());
  if (is_in_use_) return kube::Reconciled{.again_after = kInUseRetry};
  if (problems_.empty()) TRY("", remove_restores());
  TRY("", stopped());
  return problems_.empty() ? complete() : end_with_problems();
}

Status BackupDeletion::stopped() const {
  if (stop_.stop_requested()) return fail(Code::kCancelled, "stopped");
  return {};
}

bool BackupDeletion::is_young() const {
  const auto asked_at = ObjectView(request_).creation_timestamp();
  return asked_at && context_.clock.wall_now() - *asked_at < tools_.settings.max_age;
}

Result<std::optional<std::string>> BackupDeletion::obstacle() {
  if (auto why = obstacle_in_backup()) return why;
  // Velero deletes a backup under a restore that reads it, which then fails half way, and removes the Restore as well.
  TRY_ASSIGN(const std::vector<Json> all, "", restores());
  std::vector<std::string> running;
  for (const Json& restore : all) {
    if (!is_over(restore)) running.emplace_back(ObjectView(restore).name());
  }
  if (running.empty()) return std::nullopt;
  return fmt::format("it is being restored ({}): wait for the end of the restore, or cancel it", join(running, ", "));
}

std::optional<std::string> BackupDeletion::obstacle_in_backup() const {
  const std::string phase_name = api::status_text(backup_, api::field::kPhase);
  if (context_.running.is_running(api::kBackup, name_)) {
    return "backup is still in progress: wait for its end, or cancel it";
  }
  const auto asked_for = ObjectView(request_).labels().get(std::string(api::label::kBackupUid));
  if (asked_for && !asked_for->empty() && *asked_for != ObjectView(backup_).uid()) {
    return fmt::format("the request is for another backup of this name, whose UID is {}", *asked_for);
  }
  const auto phase = api::phase_of<BackupPhase>(backup_);
  if (!phase) return fmt::format("the phase {} of the backup is not known to this server", quote(phase_name));
  switch (*phase) {
    case BackupPhase::kReadyToStart:
    case BackupPhase::kInProgress:
    case BackupPhase::kWaitingForPluginOperations:
    case BackupPhase::kWaitingForPluginOperationsPartiallyFailed:
    case BackupPhase::kFinalizing:
    case BackupPhase::kFinalizingPartiallyFailed:
      return fmt::format("backup is still in progress (phase {}): wait for its end, or cancel it", phase_name);
    default:
      return std::nullopt;
  }
}

// It has written nothing, so that what is in a folder of its name is another's: it may be the very reason why this one
// was refused.
bool BackupDeletion::was_never_started() const {
  const auto phase = api::phase_of<BackupPhase>(backup_);
  return !has_started(backup_) &&
         (phase == BackupPhase::kNew || phase == BackupPhase::kQueued || phase == BackupPhase::kFailedValidation ||
          phase == BackupPhase::kFailed);  // canceled before its turn
}

Result<BackupDeletion::Readiness> BackupDeletion::open_bucket() {
  if (was_never_started()) return Readiness::kReady;
  const std::string location = json::string_or(backup_, {"spec", "storageLocation"}, "");
  const auto refused = [&](std::string_view why) {
    problems_.add(fmt::format("backup storage location {} {}", quote(location), why));
    return Readiness::kRefused;
  };
  const auto found = context_.locations.find(location, stop_);
  if (!found && found.error().code() == Code::kNotFound) {
    return has_started(backup_) ? refused("not found") : Readiness::kReady;
  }
  if (!found && is_retryable(found.error().code())) return fail("", found.error());
  if (!found) return refused("cannot be read: " + found.error().message());
  if (found->view.is_read_only) return refused("is read-only: nothing can be deleted there");
  if (!found->view.is_available) {
    return is_begun_ && is_young() ? Readiness::kLater : refused("is unavailable");
  }
  auto opened = context_.locations.open(*found, stop_);
  TRY("", stopped());
  if (!opened) return refused("cannot be opened: " + opened.error().message());
  bucket_ = *std::move(opened);
  return Readiness::kReady;
}

Status BackupDeletion::look_into_bucket() {
  if (bucket_ == nullptr) return {};
  const auto stored = bucket_->backups().read_backup(name_, stop_);
  TRY("", stopped());
  if (!stored && !says_unfinished(stored.error().code())) {
    problems_.add(stored.error().message());
    return {};
  }
  // Not the UID: a synced Backup has another one. What is damaged, or was never finished, is taken for ours if this one
  // was ever begun: somebody has to be able to delete it.
  is_ours_ = stored ? api::status_time(*stored, api::field::kStartTimestamp) ==
                          api::status_time(backup_, api::field::kStartTimestamp)
                    : has_started(backup_);
  // A backup that failed has stored nothing: what is there of the same second is another cluster's.
  const bool has_failed = api::phase_of<BackupPhase>(backup_) == BackupPhase::kFailed;
  if (stored && has_failed && ObjectView(*stored).uid() != ObjectView(backup_).uid()) is_ours_ = false;
  if (is_ours_) return check_volume_data();
  if (stored) log_.warning("the bucket holds another backup of this name, begun at another time: it stays");
  return {};
}

// Before anything is touched: the list of what would have to be deleted goes with the folder.
Status BackupDeletion::check_volume_data() {
  auto volumes = volume_data_of(context_, backup_, bucket_->backups(), stop_);
  TRY("", stopped());
  if (!volumes) {
    problems_.add("cannot tell which volume data belongs to the backup: " + volumes.error().message());
    return {};
  }
  volumes_ = *std::move(volumes);
  for (const auto& [data, count] : volumes_) {
    const bool is_handled =
        std::ranges::any_of(tools_.cleanups, [data = data](BackupCleanup* one) { return one->handles(data); });
    if (is_handled) continue;
    problems_.add(fmt::format("the backup holds {} {}, which this server cannot delete; nothing was deleted", count,
                              to_string(data)));
  }
  for (BackupCleanup* cleanup : tools_.cleanups) {
    if (!has_work(*cleanup)) continue;
    const Status can = cleanup->check(backup_, bucket_->backups(), stop_);
    TRY("", stopped());
    if (!can) problems_.add(fmt::format("{}: {}; nothing was deleted", cleanup->name(), can.error().message()));
  }
  return {};
}

bool BackupDeletion::has_work(const BackupCleanup& cleanup) const {
  return std::ranges::any_of(volumes_, [&](const auto& entry) { return cleanup.handles(entry.first); });
}

Status BackupDeletion::begin() {
  const Json before = request_;
  TRY("", api::set_phase(request_, api::DeletionPhase::kInProgress));
  TRY("", k8s::set_label(request_, api::label::kBackupName, k8s::label_safe(name_)));
  TRY("", k8s::set_label(request_, api::label::kBackupUid, ObjectView(backup_).uid()));
  TRY("", write_change(context_.objects(api::kDeleteBackupRequest), before, request_, stop_));
  if (!is_begun_) context_.metrics.count(metrics::kBackupDeletionAttemptTotal, {schedule()});
  is_begun_ = true;
  // Only if nobody has started it, or changed it in another way, since it was looked at.
  Json deleting = backup_;
  TRY("", api::set_phase(deleting, BackupPhase::kDeleting));
  TRY("", write_change(context_.objects(api::kBackup), backup_, deleting, stop_, IfChanged::kConflict));
  backup_ = std::move(deleting);
  return {};
}

Status BackupDeletion::run_actions() {
  std::vector<extension::DeleteItemAction*> actions = tools_.actions;
  std::vector<std::unique_ptr<extension::DeleteItemAction>> of_plugins;
  if (tools_.settings.plugins != nullptr) {
    TRY_ASSIGN(of_plugins, "actions of plugins", tools_.settings.plugins->delete_actions(log_, stop_));
  }
  for (const auto& one : of_plugins) actions.push_back(one.get());
  return run_delete_actions({.actions = std::move(actions),
                             .backup = backup_,
                             .store = bucket_->backups(),
                             .client = context_.client,
                             .spool_directory = tools_.settings.spool_directory},
                            problems_, stop_);
}

void BackupDeletion::remove_data() {
  if (bucket_ == nullptr || !is_ours_) return;
  bucket::BackupStore& store = bucket_->backups();
  if (const Status actions = run_actions(); !actions) problems_.add(actions.error().message());
  for (BackupCleanup* cleanup : tools_.cleanups) {
    if (!has_work(*cleanup) || stop_.stop_requested()) continue;
    const Status cleaned = cleanup->clean(backup_, store, stop_);
    if (cleaned) continue;
    // Somebody writes there, or has died doing so, which is found out after a while.
    if (cleaned.error().code() == Code::kConflict && is_young()) {
      log_.info("what the backup keeps elsewhere is in use: it is tried again", {LogField(cleaned.error())});
      is_in_use_ = true;
      return;
    }
    problems_.add(fmt::format("{}: {}", cleanup->name(), cleaned.error().message()));
  }
  // What is needed to try again is in there.
  if (!problems_.empty() || stop_.stop_requested()) return;
  const Status removed = store.remove_backup(name_, stop_);
  if (!removed) problems_.add(removed.error().message());
}

Result<std::vector<Json>> BackupDeletion::restores() const {
  TRY_ASSIGN(kube::ObjectList list, "list restores", context_.objects(api::kRestore).list({}, stop_));
  std::erase_if(list.items,
                [this](const Json& restore) { return json::string_or(restore, {"spec", "backupName"}, "") != name_; });
  return std::move(list.items);
}

Status BackupDeletion::remove_restores() {
  TRY_ASSIGN(const std::vector<Json> all, "", restores());
  for (const Json& restore : all) TRY("", remove_restore(restore));
  if (!problems_.empty()) return {};
  return await_restores(all);
}

Status BackupDeletion::remove_restore(const Json& restore) {
  const std::string name(ObjectView(restore).name());
  if (context_.running.is_running(api::kRestore, name)) {
    problems_.add(fmt::format("restore {} has been started meanwhile", name));
    return {};
  }
  if (bucket_ != nullptr) {
    const Status removed = bucket_->backups().remove_restore(name, stop_);
    TRY("", stopped());
    if (!removed) {
      problems_.add(removed.error().message());
      return {};
    }
  }
  const std::string selector = fmt::format("{}={}", api::label::kRestoreUid, ObjectView(restore).uid());
  const auto transfers = context_.objects(api::kVolumePluginRestore).list({.label_selector = selector}, stop_);
  // Velero's installations have no such kind.
  if (transfers) TRY("", remove_resources(context_, api::kVolumePluginRestore, transfers->items, stop_));
  // It stands for the files, and they are gone.
  Json changed = restore;
  if (k8s::remove_finalizer(changed, api::finalizer::kRestore)) {
    const Status freed = write_change(context_.objects(api::kRestore), restore, changed, stop_, IfChanged::kConflict);
    if (!freed && freed.error().code() != Code::kNotFound) return freed;
  }
  return remove_object(context_.objects(api::kRestore), restore, stop_);
}

Status BackupDeletion::await_restores(const std::vector<Json>& gone) {
  if (gone.empty()) return {};
  std::set<std::string, std::less<>> uids;
  for (const Json& restore : gone) uids.emplace(ObjectView(restore).uid());
  const SteadyTime deadline = context_.clock.after(tools_.settings.finalizer_wait);
  while (true) {
    TRY_ASSIGN(std::vector<Json> left, "", restores());
    std::erase_if(left, [&](const Json& restore) { return !uids.contains(ObjectView(restore).uid()); });
    if (left.empty()) return {};
    if (context_.clock.now() >= deadline) {
      for (const Json& restore : left) {
        const ObjectView view(restore);
        problems_.add(
            fmt::format("restore {} does not go: it waits for {}", view.name(), join(view.finalizers(), ", ")));
      }
      return {};
    }
    if (!context_.clock.sleep_for(kRestorePoll, stop_)) return stopped();
  }
}

Status BackupDeletion::remove_requests(Which which) const {
  TRY_ASSIGN(const std::vector<Json> all, "", deletion_requests_of(context_, name_, stop_));
  const kube::Resource requests = context_.objects(api::kDeleteBackupRequest);
  for (const Json& request : all) {
    // The label may be that of another name, cut.
    if (json::string_or(request, {"spec", "backupName"}, "") != name_) continue;
    if (ObjectView(request).uid() == ObjectView(request_).uid()) continue;
    TRY("", remove_object(requests, request, stop_));
  }
  if (which == Which::kAll) TRY("", remove_object(requests, request_, stop_));
  return {};
}

std::string BackupDeletion::schedule() const {
  return std::string(ObjectView(backup_).labels().get(std::string(api::label::kScheduleName)).value_or(""));
}

Result<kube::Reconciled> BackupDeletion::refuse(std::string why) {
  problems_.add(std::move(why));
  return end_with_problems();
}

Result<kube::Reconciled> BackupDeletion::end_with_problems() {
  const std::vector<std::string> errors = problems_.texts();
  const Json before = request_;
  TRY("", api::set_phase(request_, api::DeletionPhase::kProcessed));
  TRY("", api::set_status_texts(request_, api::field::kErrors, errors));
  const Status written = write_change(context_.objects(api::kDeleteBackupRequest), before, request_, stop_);
  if (!written && written.error().code() != Code::kNotFound) return fail("", written.error());
  if (is_begun_) context_.metrics.count(metrics::kBackupDeletionFailureTotal, {schedule()});
  log_.error("backup could not be deleted", {{"error", join(errors, "; ")}});
  return kube::Reconciled{.again_after = tools_.settings.max_age};
}

Result<kube::Reconciled> BackupDeletion::complete() {
  if (!backup_.is_null()) TRY("", remove_object(context_.objects(api::kBackup), backup_, stop_));
  TRY("", remove_requests(Which::kAll));
  context_.metrics.count(metrics::kBackupDeletionSuccessTotal, {schedule()});
  log_.info("backup deleted");
  return kube::Reconciled{};
}

}  // namespace landfall::control
