#include "control/backup_execution.h"

#include <algorithm>
#include <iterator>
#include <thread>
#include <utility>

#include "api/labels.h"
#include "api/phases.h"
#include "api/progress_fields.h"
#include "api/status.h"
#include "base/strings.h"
#include "bucket/artifact.h"
#include "bucket/backup_store.h"
#include "control/backup_ending.h"
#include "control/backup_metrics.h"
#include "control/change.h"
#include "control/csi_backup_infos.h"
#include "control/pod_volume_backup_run.h"
#include "control/pod_volume_infos.h"
#include "control/progress_writer.h"
#include "control/snapshot_cleanup.h"
#include "control/snapshot_progress.h"
#include "control/snapshot_records.h"
#include "control/tries.h"
#include "hooks/run_hook.h"
#include "json/access.h"
#include "k8s/object_view.h"
#include "progress/item_reporter.h"
#include "restore/delayed_stop.h"

namespace landfall::control {

using api::BackupPhase;
using bucket::BackupArtifact;

namespace {

// How long the end of an operation waits for its last word to be heard.
constexpr Duration kLastWord = std::chrono::seconds(10);
// How long snapshots of a backup that was canceled, or has failed, may take to go.
constexpr Duration kDiscardTime = std::chrono::seconds(30);

std::string uid_of(const json::Json& object) { return std::string(k8s::ObjectView(object).uid()); }

std::string encoded(const json::Json& document) { return bucket::encode(document, bucket::Form::kGzipJson); }

BackupPhase phase_after(bool has_operations, bool has_errors) {
  if (has_operations) {
    return has_errors ? BackupPhase::kWaitingForPluginOperationsPartiallyFailed
                      : BackupPhase::kWaitingForPluginOperations;
  }
  return has_errors ? BackupPhase::kFinalizingPartiallyFailed : BackupPhase::kFinalizing;
}

}  // namespace

BackupExecution::BackupExecution(const Context& context, const BackupSettings& settings, PreparedBackup prepared)
    : context_(context),
      settings_(settings),
      prepared_(std::move(prepared)),
      name_(k8s::ObjectView(prepared_.backup).name()),
      log_(context.log.with({{"backup", context.name_space + "/" + name_}})) {}

Status BackupExecution::open_log() {
  if (run_log_) return {};
  TRY_ASSIGN(run_log_, "log of the backup", operation::RunLog::create(settings_.spool_directory, settings_.log_format));
  log_ = log_.also_to(run_log_, settings_.log_level);
  return {};
}

Status BackupExecution::look_into_bucket(bool is_second_try, const std::stop_token& stop) {
  if (!prepared_.location) return {};
  if (is_second_try && tries_of(prepared_.backup) >= kMaxTries) {
    prepared_.problems.push_back("the server was stopped or died over it " + std::to_string(kMaxTries) + " times");
  }
  TRY("", open_log());
  auto opened = context_.locations.open(*prepared_.location, log_, stop);
  if (!opened) {
    if (is_retryable(opened.error().code()) || stop.stop_requested()) return fail("", std::move(opened).error());
    prepared_.problems.push_back(opened.error().message());
    return {};
  }
  bucket_ = *std::move(opened);
  bucket::BackupStore& backups = bucket_->backups();
  if (const Status name = backups.check_name(name_); !name) {
    prepared_.problems.push_back(name.error().message());
    return {};
  }
  const auto is_there = backups.has_backup(name_, stop);
  if (!is_there) return look_failed(is_there.error(), stop);
  if (!*is_there) {
    if (is_second_try) TRY("remove what an earlier try left", backups.remove_backup(name_, stop));
    return {};
  }
  auto stored = backups.read_backup(name_, stop);
  if (!stored) return look_failed(stored.error(), stop);
  if (uid_of(*stored) != uid_of(prepared_.backup)) {
    prepared_.problems.push_back("backup storage location " + prepared_.location->name +
                                 " already holds a backup named " + name_ +
                                 ": choose another name, or delete that one");
    return {};
  }
  stored_ = *std::move(stored);
  return {};
}

// What may pass is tried again; what stays is a problem of the Backup, so that others get their turn.
Status BackupExecution::look_failed(const Error& error, const std::stop_token& stop) {
  if (is_retryable(error.code()) || stop.stop_requested()) return fail("look for an earlier backup", error);
  prepared_.problems.push_back("backup storage location " + prepared_.location->name +
                               " cannot be asked whether it holds a backup named " + name_ + ": " + error.message());
  return {};
}

Status BackupExecution::refuse(const json::Json& before, bool is_second_try, const std::stop_token& stop) {
  for (const std::string& problem : prepared_.problems) log_.warning("Backup is not valid", {{"error", problem}});
  if (is_second_try) {
    TRY("", discard_earlier(before, stop));
    std::string why = "the server was restarted, and the backup cannot be run again";
    for (const std::string& problem : prepared_.problems) why += ": " + problem;
    return end_backup(context_, before, prepared_.backup, {.why = why}, stop);
  }
  json::Json after = prepared_.backup;
  TRY("", api::set_phase(after, BackupPhase::kFailedValidation));
  TRY("", api::set_status_texts(after, api::field::kValidationErrors, prepared_.problems));
  TRY("", write_change(context_.objects(api::kBackup), before, after, stop, IfChanged::kConflict));
  count_backup_end(context_.metrics, after);
  return {};
}

Status BackupExecution::cancel_before_start(const json::Json& before, const std::stop_token& stop) {
  if (api::phase_of<BackupPhase>(before) == BackupPhase::kInProgress) TRY("", discard_earlier(before, stop));
  if (stored_) TRY("remove what an earlier try left", bucket_->backups().remove_backup(name_, stop));
  return end_canceled(before, prepared_.backup, stop);
}

Status BackupExecution::discard_earlier(const json::Json& before, const std::stop_token& stop) {
  if (!settings_.snapshots) return {};
  const auto snapshotters = settings_.snapshots->of(context_, before, log_);
  SnapshotBackupRun(context_, snapshotters, settings_.operation_sync_frequency, before, log_).end_earlier(stop);
  // A folder that is not of this very backup is another's, and so are the snapshots that its files name.
  const Status gone = stored_ ? delete_snapshots_of(context_, *snapshotters, before, bucket_->backups(), stop)
                              : delete_known_snapshots(context_, *snapshotters, before, {}, stop);
  settings_.snapshots->drop(api::kBackup, name_);
  if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
  if (!gone) log_.warning("Snapshots of an earlier try are left behind", {LogField(gone.error())});
  return {};
}

Status BackupExecution::end_canceled(const json::Json& before, json::Json after, const std::stop_token& stop) {
  TRY("", end_backup(context_, before, std::move(after), {.is_canceled = true}, stop, IfChanged::kMerge));
  log_.info("Backup is canceled");
  return {};
}

Result<json::Json> BackupExecution::current(const std::stop_token& stop) const {
  auto found = context_.objects(api::kBackup).get(name_, stop);
  const bool is_gone = found ? uid_of(*found) != uid_of(prepared_.backup) || k8s::ObjectView(*found).is_being_deleted()
                             : found.error().code() == Code::kNotFound;
  if (is_gone) return fail(Code::kGone, "backup " + name_ + " was deleted while it ran");
  return found;
}

Status BackupExecution::end_failed(const Error& error, const std::stop_token& stop) {
  TRY_ASSIGN(const json::Json before, "", current(stop));
  json::Json after = before;
  TRY("", api::set_status_count(after, api::field::kErrors, run_log_->errors()));
  TRY("", api::set_status_count(after, api::field::kWarnings, run_log_->warnings()));
  log_.error("Backup has failed", {LogField(error)});
  keep_log(stop);
  return end_backup(context_, before, std::move(after), {.why = error.message()}, stop, IfChanged::kMerge);
}

// Where there is anything to read afterwards; the bucket may be what has failed.
void BackupExecution::keep_log(const std::stop_token& stop) {
  const auto log = run_log_->finish();
  if (!log || !bucket_) return;
  const Status kept = bucket_->backups().keep_log(name_, extension::SpoolSource(**log), stop);
  if (!kept) context_.log.info("The log of the failed backup is not stored", {LogField(kept.error())});
}

// An earlier try had stored everything and died before it could say so.
Status BackupExecution::adopt(const json::Json& before, const std::stop_token& stop) {
  json::Json after = before;
  after["status"] = json::has(*stored_, {"status"}) ? (*stored_)["status"] : json::Json::object();
  log_.info("Backup was stored before the server was restarted");
  return write_change(context_.objects(api::kBackup), before, after, stop, IfChanged::kConflict);
}

Status BackupExecution::begin(const json::Json& before, bool is_second_try, const std::stop_token& stop) {
  json::Json after = prepared_.backup;
  TRY("", api::set_phase(after, BackupPhase::kInProgress));
  if (!api::status_time(after, api::field::kStartTimestamp)) {
    TRY("", api::set_status_time(after, api::field::kStartTimestamp, context_.clock.wall_now()));
  }
  json::erase_at(after, {"status", "progress"});
  json::erase_at(after, {"status", "queuePosition"});
  if (const std::int64_t tries = tries_of(before) + 1; tries > 1 || is_second_try) {
    TRY("", k8s::set_annotation(after, kTriesAnnotation, std::to_string(std::max<std::int64_t>(tries, 2))));
  }
  TRY("", write_change(context_.objects(api::kBackup), before, after, stop, IfChanged::kConflict));
  backup_ = std::move(after);
  return {};
}

Status BackupExecution::run(const json::Json& before, bool is_second_try, const std::stop_token& stop) {
  if (stored_) return adopt(before, stop);
  TRY("", open_log());
  std::stop_source run_stop;
  const std::stop_callback forward(stop, [&run_stop] { run_stop.request_stop(); });
  const auto running = context_.running.begin(api::kBackup, name_, run_log_, run_stop);
  if (!running) return fail(Code::kConflict, "backup " + name_ + " is running already");

  TRY("", begin(before, is_second_try, stop));
  if (api::is_cancel_wanted(backup_)) run_stop.request_stop();
  count_backup_attempt(context_.metrics, schedule_of(backup_));
  if (is_second_try) log_.info("Backup was interrupted by a restart of the server and is run again from the start");
  for (const std::string& warning : prepared_.warnings) log_.warning(warning);

  auto product = make(run_stop.get_token(), stop);
  const Status stored =
      product ? store(*product, run_stop.get_token()) : Status(tl::unexpected<Error>(product.error()));
  if (stored) {
    measure_archive(context_.metrics, schedule_of(backup_), product->archive.size());
    if (settings_.snapshots && snapshots_.operations.empty()) settings_.snapshots->drop(api::kBackup, name_);
    return say_outcome(stop);
  }
  // The next server runs it again, and knows of those that plugins tell of.
  if (stop.stop_requested()) return fail(Code::kCancelled, "the server stops");
  discard_snapshots();
  const auto now = current(stop);
  if (!now && now.error().code() == Code::kGone) {
    log_.info("Backup was deleted while it ran, and leaves nothing");
    return {};
  }
  if (!now) return fail("", now.error());
  return run_stop.stop_requested() ? end_canceled(*now, *now, stop) : end_failed(stored.error(), stop);
}

// From here on the backup is in the bucket: if this cannot be written, it is when the Backup is looked at again.
Status BackupExecution::say_outcome(const std::stop_token& stop) {
  const Status said = write_change(context_.objects(api::kBackup), before_outcome_, backup_, stop);
  if (said) return {};
  const auto now = current(stop);
  if (now || now.error().code() != Code::kGone) return said;
  log_.info("Backup was deleted while it was stored, and leaves nothing");
  return bucket_->backups().remove_backup(name_, stop);
}

Result<backup::BackupProduct> BackupExecution::make(const std::stop_token& stop, const std::stop_token& server_stop) {
  ProgressWriter writer(context_.objects(api::kBackup).within(kLastWord), backup_, &api::set_backup_progress);
  ProgressGauges gauges(context_.metrics, name_);
  progress::ItemReporter progress(context_.clock, context_.log);  // ends before those who listen
  progress.subscribe("resource", [&](const progress::ItemProgress& value, const std::stop_token& token) {
    return writer.write(value, token);
  });
  progress.subscribe("metrics", [&](const progress::ItemProgress& value, const std::stop_token&) -> Status {
    gauges.show(value);
    return {};
  });
  TRY_ASSIGN(hooks::BackupHooks planned, "", hooks::BackupHooks::make(prepared_.spec.hooks, *prepared_.discovery));
  hooks::HookRunner hooks(std::move(planned), hooks::exec_over(context_.client));
  std::vector<std::unique_ptr<extension::BackupItemAction>> actions;
  if (settings_.make_actions) actions = settings_.make_actions(context_.client, *prepared_.discovery);
  PluginBackupActions of_plugins;
  if (settings_.plugins != nullptr) {
    TRY_ASSIGN(of_plugins, "actions of plugins", settings_.plugins->actions_of_backup(log_, stop));
    std::ranges::move(of_plugins.items, std::back_inserter(actions));
  }

  std::optional<PodVolumeBackupRun> volumes;
  if (settings_.pod_volumes) {
    volumes.emplace(context_, *settings_.pod_volumes, backup_, prepared_.location->name, progress, log_);
    if (tries_of(backup_) > 1) volumes->end_earlier(stop);
  }
  // Nobody is asked anything where there is no location.
  if (settings_.snapshots && json::has(backup_, {"spec", "volumeSnapshotLocations", "0"})) {
    snapshot_run_.emplace(context_, settings_.snapshots->of(context_, backup_, log_),
                          settings_.operation_sync_frequency, backup_, log_);
    if (tries_of(backup_) > 1) snapshot_run_->end_earlier(stop);
  }
  backup::BackupTools tools{.client = context_.client,
                            .clock = context_.clock,
                            .log = log_,
                            .progress = progress,
                            .hooks = hooks,
                            .actions = actions,
                            .pod_volumes = volumes ? &*volumes : nullptr,
                            .snapshots = snapshot_run_ ? &*snapshot_run_ : nullptr,
                            .block_actions = of_plugins.blocks,
                            .spool_directory = settings_.spool_directory,
                            .workers = settings_.workers,
                            .page_size = settings_.page_size};
  if (tools.workers < 1) tools.workers = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const backup::BackupJob job{.backup = backup_,
                              .spec = prepared_.spec,
                              .filter = *prepared_.filter,
                              .policies = prepared_.policies,
                              .discovery = *prepared_.discovery};
  progress.start();
  auto product = run_backup(job, tools, stop);
  if (volumes) {
    progress.step(progress::ItemStep::kBackingUpVolumes);
    // Of a backup that has failed they end at once.
    std::stop_source over;
    if (!product) over.request_stop();
    auto ended = volumes->finish(product ? stop : over.get_token(), server_stop);
    if (product) add_pod_volume_backups(*product->volume_infos, ended.volumes);
    pod_volume_backups_ = std::move(ended.volumes);
    std::ranges::move(ended.earlier, std::back_inserter(pod_volume_backups_));
  }
  if (snapshot_run_ && product && !stop.stop_requested()) finish_snapshots(*product, progress, stop);
  if (product && !stop.stop_requested()) {
    add_csi_rows(context_, backup_, *prepared_.discovery, product->operations, log_, *product->volume_infos, stop);
  }
  hooks_ = hooks.counts();
  if (product) progress.step(progress::ItemStep::kUploading);
  // Advisory: the numbers that count are written with the phase.
  if (const Status said = progress.finish(context_.clock.after(stop.stop_requested() ? Duration{} : kLastWord), stop);
      !said && product) {
    context_.log.info("Last progress was not written", {LogField(said.error())});
  }
  last_progress_ = progress.snapshot();
  last_progress_->step = progress::ItemStep::kFinalizing;
  return product;
}

void BackupExecution::finish_snapshots(backup::BackupProduct& product, progress::ItemReporter& progress,
                                       const std::stop_token& stop) {
  snapshots_ = snapshot_run_->finish(progress, stop);
  add_snapshots(*product.volume_infos, snapshots_.taken);
  set_row_progress(*product.volume_infos, snapshots_.resources);
  std::ranges::copy(snapshots_.operations, std::back_inserter(product.operations));
}

void BackupExecution::discard_snapshots() {
  if (!snapshot_run_) return;
  std::stop_source now;
  now.request_stop();
  const restore::DelayedStop later(context_.clock, now.get_token(), kDiscardTime);
  snapshot_run_->discard(later.token());
  settings_.snapshots->drop(api::kBackup, name_);
}

Status BackupExecution::fill_in_outcome(json::Json& backup, const backup::BackupProduct& product) const {
  progress::ItemProgress progress = *last_progress_;
  // A plugin returns before its bytes have moved.
  if (!snapshots_.operations.empty()) progress.step = progress::ItemStep::kBackingUpVolumes;
  TRY("", api::set_backup_progress(backup, progress));
  TRY("", api::set_status_count(backup, api::field::kErrors, run_log_->errors()));
  TRY("", api::set_status_count(backup, api::field::kWarnings, run_log_->warnings()));
  TRY("", api::set_hook_status(backup, hooks_.attempted, hooks_.failed));
  TRY("", api::set_status_count(backup, api::field::kVolumeSnapshotsAttempted,
                                static_cast<std::int64_t>(snapshots_.taken.size())));
  TRY("", api::set_status_count(backup, api::field::kVolumeSnapshotsCompleted, snapshots_.completed()));
  TRY("",
      api::set_backup_operations(
          backup, {.attempted = static_cast<std::int64_t>(product.operations.size()), .completed = 0, .failed = 0}));
  return api::set_phase(backup, phase_after(!product.operations.empty(), run_log_->errors() > 0));
}

Status BackupExecution::store(const backup::BackupProduct& product, const std::stop_token& stop) {
  log_.info("Items are in the archive, now it is stored",
            {{"items", product.items}, {"bytes", product.archive.size()}});
  TRY_ASSIGN(before_outcome_, "", current(stop));
  backup_ = before_outcome_;
  TRY_ASSIGN(const std::shared_ptr<const io::SpoolFile> log, "log of the backup", run_log_->finish());
  TRY("", fill_in_outcome(backup_, product));

  const std::string pod_volumes = encoded(pod_volume_backups_.empty() ? json::Json() : json::Json(pod_volume_backups_));
  const std::string snapshots = encoded(snapshots_.records());
  const std::string transfers = encoded(snapshots_.resources);
  const std::string operations = encoded(operation::to_json(product.operations, operation::OperationOwner::kBackup));
  const std::string results = encoded(run_log_->results().to_json());
  const std::string volumes = encoded(*product.volume_infos);
  const extension::SpoolSource archive(product.archive);
  const extension::SpoolSource list(product.resource_list);
  const extension::SpoolSource log_source(*log);
  const extension::BytesSource snapshots_source(snapshots);
  const extension::BytesSource transfers_source(transfers);
  const extension::BytesSource pod_volumes_source(pod_volumes);
  const extension::BytesSource operations_source(operations);
  const extension::BytesSource results_source(results);
  const extension::BytesSource volumes_source(volumes);
  std::vector<bucket::NewArtifact> artifacts = {{BackupArtifact::kLog, log_source},
                                                {BackupArtifact::kContents, archive},
                                                {BackupArtifact::kPodVolumeBackups, pod_volumes_source},
                                                {BackupArtifact::kVolumeSnapshots, snapshots_source},
                                                {BackupArtifact::kItemOperations, operations_source},
                                                {BackupArtifact::kResourceList, list},
                                                {BackupArtifact::kResults, results_source},
                                                {BackupArtifact::kVolumeInfos, volumes_source}};
  // Velero knows no such file.
  if (!snapshots_.resources.empty()) artifacts.push_back({BackupArtifact::kVolumePluginBackups, transfers_source});
  TRY("store the backup", bucket_->backups().create(name_, backup_, artifacts, stop));
  return {};
}

}  // namespace landfall::control
