#include "control/restore_execution.h"

#include <algorithm>
#include <utility>

#include "api/phases.h"
#include "api/progress_fields.h"
#include "api/status.h"
#include "base/strings.h"
#include "bucket/artifact.h"
#include "control/change.h"
#include "control/operation_polling.h"
#include "control/plugin_transfer.h"
#include "control/pod_volume_restore_run.h"
#include "control/progress_writer.h"
#include "control/restore_ending.h"
#include "control/restore_item_actions.h"
#include "control/restore_metrics.h"
#include "control/transfer_waitable.h"
#include "control/tries.h"
#include "json/access.h"
#include "json/parse.h"
#include "k8s/object_view.h"
#include "kube/resource.h"
#include "operation/memory_records.h"
#include "selection/restore_filter.h"

namespace landfall::control {

using api::RestorePhase;
using bucket::RestoreArtifact;
using restore::RestoreProduct;

namespace {

// How long the end of an operation waits for its last word to be heard.
constexpr Duration kLastWord = std::chrono::seconds(10);
// How long a publish waits for the journal, so that what is published is not ahead of what survives a crash.
constexpr Duration kJournalWait = std::chrono::seconds(1);

// Shorter than a second by what the journal and the API server take: what is shown is never older than a second.
constexpr Duration kPublishInterval = std::chrono::milliseconds(700);

// How often a file that cannot be stored is tried again.
constexpr Duration kStoreAgain = std::chrono::seconds(2);

RestorePhase phase_after(bool has_operations, bool has_errors) {
  if (has_operations) {
    return has_errors ? RestorePhase::kWaitingForPluginOperationsPartiallyFailed
                      : RestorePhase::kWaitingForPluginOperations;
  }
  return has_errors ? RestorePhase::kFinalizingPartiallyFailed : RestorePhase::kFinalizing;
}

const json::Json* pointer(const std::optional<json::Json>& document) { return document ? &*document : nullptr; }

}  // namespace

bool is_preview(const json::Json& restore) {
  return json::bool_or(restore, {"spec", "preview"}, false) ||
         k8s::ObjectView(restore).annotations().contains(std::string(kPreviewAnnotation));
}

RestoreExecution::RestoreExecution(const Context& context, const RestoreSettings& settings, ActiveRestores& active,
                                   PreparedRestore prepared)
    : context_(context),
      settings_(settings),
      all_active_(active),
      prepared_(std::move(prepared)),
      name_(k8s::ObjectView(prepared_.restore).name()),
      uid_(k8s::ObjectView(prepared_.restore).uid()),
      log_(context.log.with({{"restore", context.name_space + "/" + name_}})) {}

Status RestoreExecution::open_log() {
  if (run_log_) return {};
  TRY_ASSIGN(run_log_, "log of the restore",
             operation::RunLog::create(settings_.engine.spool_directory, settings_.log_format));
  log_ = log_.also_to(run_log_, settings_.log_level);
  return {};
}

Status RestoreExecution::open_bucket(bool is_second_try, const std::stop_token& stop) {
  if (is_second_try && tries_of(prepared_.restore) >= kMaxRestoreTries) {
    prepared_.problems.push_back("the server was stopped or died over it " + std::to_string(kMaxRestoreTries) +
                                 " times");
    return {};
  }
  TRY("", open_log());
  auto files = RestoreFiles::open(context_, *prepared_.location, prepared_.restore, log_, stop);
  if (files) {
    files_ = *std::move(files);
    return {};
  }
  if (is_retryable(files.error().code()) || stop.stop_requested()) return fail("", std::move(files).error());
  prepared_.problems.push_back(files.error().message());
  return {};
}

Status RestoreExecution::refuse(const json::Json& before, bool is_second_try, const std::stop_token& stop) {
  for (const std::string& problem : prepared_.problems) log_.warning("Restore is not valid", {{"error", problem}});
  if (is_second_try) {
    std::string why = "the server was restarted, and the restore cannot go on";
    for (const std::string& problem : prepared_.problems) why += ": " + problem;
    return end_restore(context_, before, prepared_.restore, {.why = why}, stop);
  }
  json::Json after = prepared_.restore;
  TRY("", api::set_phase(after, RestorePhase::kFailedValidation));
  TRY("", api::set_status_texts(after, api::field::kValidationErrors, prepared_.problems));
  TRY("", write_change(context_.objects(api::kRestore), before, after, stop, IfChanged::kConflict));
  // Velero counts an attempt here, too.
  count_restore_attempt(context_.metrics, after);
  count_restore_end(context_.metrics, after);
  return {};
}

Result<json::Json> RestoreExecution::current(const std::stop_token& stop) const {
  auto found = context_.objects(api::kRestore).get(name_, stop);
  const bool is_gone = found ? k8s::ObjectView(*found).uid() != uid_ : found.error().code() == Code::kNotFound;
  if (is_gone) return fail(Code::kGone, "restore " + name_ + " was deleted while it ran");
  return found;
}

Status RestoreExecution::begin(const json::Json& before, bool is_second_try, const std::stop_token& stop) {
  json::Json after = prepared_.restore;
  TRY("", api::set_phase(after, RestorePhase::kInProgress));
  if (!api::status_time(after, api::field::kStartTimestamp)) {
    TRY("", api::set_status_time(after, api::field::kStartTimestamp, context_.clock.wall_now()));
  }
  if (is_preview(after)) TRY("", k8s::set_annotation(after, kPreviewAnnotation, "true"));
  if (!k8s::ObjectView(after).annotations().contains(std::string(kSpecAnnotation))) {
    TRY("", k8s::set_annotation(after, kSpecAnnotation, json::dump(after["spec"])));
  }
  if (const std::int64_t tries = tries_of(before) + 1; tries > 1 || is_second_try) {
    TRY("", k8s::set_annotation(after, kTriesAnnotation, std::to_string(std::max<std::int64_t>(tries, 2))));
  }
  TRY("", write_change(context_.objects(api::kRestore), before, after, stop, IfChanged::kConflict));
  restore_ = std::make_shared<const json::Json>(std::move(after));
  TRY_ASSIGN(spec_, "", api::read_restore_spec(*restore_));
  action_context_.emplace(item_actions::RestoreActionContext{.client = context_.client,
                                                             .name_space = context_.name_space,
                                                             .spec = spec_,
                                                             .has_csi = settings_.engine.has_csi,
                                                             .log = log_});
  return {};
}

Status RestoreExecution::run(const json::Json& before, bool is_second_try, const std::stop_token& stop) {
  TRY("", open_log());
  const std::stop_callback forward(stop, [this] { run_stop_.request_stop(); });
  const auto running = context_.running.begin(api::kRestore, name_, run_log_, run_stop_);
  if (!running) return fail(Code::kConflict, "restore " + name_ + " is running already");

  TRY("", begin(before, is_second_try, stop));
  if (api::is_cancel_wanted(*restore_)) {
    // What an earlier process has done is still to be told.
    is_canceled_before_ = is_second_try && !is_preview(*restore_);
    if (!is_canceled_before_) run_stop_.request_stop();
  }
  if (!is_second_try) count_restore_attempt(context_.metrics, *restore_);
  if (is_second_try) log_.info("Restore was interrupted by a restart of the server and goes on");
  for (const std::string& warning : prepared_.warnings) log_.warning(warning);
  const std::stop_token run_token = run_stop_.get_token();
  const Stops stops{.server = stop, .run = run_token};
  const Status outcome = is_preview(*restore_) ? preview(stops) : restore(is_second_try, stops);
  if (!outcome && outcome.error().code() == Code::kGone) {
    log_.info("Restore was deleted while it ran");
    return {};
  }
  return outcome;
}

Status RestoreExecution::restore(bool is_second_try, const Stops& stops) {
  auto product = make(is_second_try, stops);
  if (stops.server.stop_requested()) return fail(Code::kCancelled, "the server stops");
  if (product) return end_run(*std::move(product), stops);
  return end_interrupted(product.error(), is_second_try, stops);
}

Status RestoreExecution::end_interrupted(const Error& error, bool is_second_try, const Stops& stops) {
  if (stops.run.stop_requested() || is_canceled_before_) return end_canceled(stops.server);
  // It has been going on for a while, and may well go on again when the bucket or the API server is back.
  if (is_second_try && is_retryable(error.code())) return fail("go on with the restore", error);
  return end_failed(error, stops.server);
}

Result<RestoreProduct> RestoreExecution::make(bool is_second_try, const Stops& stops) {
  TRY_ASSIGN(active_, "",
             open_active_restore(context_, *prepared_.discovery, restore_, std::move(files_), log_, stops.server));
  ProgressWriter writer(context_.objects(api::kRestore).within(kLastWord), *restore_, &api::set_restore_progress);
  RestoreGauges gauges(context_.metrics, name_);
  progress::ItemReporter progress(context_.clock, context_.log);  // ends before those who listen
  progress.subscribe(
      "resource",
      [&](const progress::ItemProgress& value, const std::stop_token& token) {
        // Advisory, as all of it: a bucket that is away does not hide how far the restore is.
        static_cast<void>(active_->journal->flush(context_.clock.after(kJournalWait), token));
        return writer.write(value, token);
      },
      kPublishInterval);
  progress.subscribe("metrics", [&](const progress::ItemProgress& value, const std::stop_token&) -> Status {
    gauges.show(value);
    return {};
  });
  if (!is_second_try) progress.start();  // else the engine does, once it has counted what was done before
  auto product = run_engine(is_second_try, progress, stops);
  close(progress, stops.server);
  return product;
}

Result<RestoreProduct> RestoreExecution::run_engine(bool is_second_try, progress::ItemReporter& progress,
                                                    const Stops& stops) {
  const std::int64_t items = json::int_or(prepared_.backup, {"status", "progress", "totalItems"}, 0);
  progress.doing("reading the backup" + (items > 0 ? " of " + std::to_string(items) + " items" : ""));
  // What an earlier process has done is told even when the restore is to be canceled; that takes the archive.
  const std::stop_token& reading = is_second_try ? stops.server : stops.run;
  TRY_ASSIGN(const RestoreInputs inputs, "read backup " + spec_.backup_name,
             read_restore_inputs(context_, active_->files->bucket(), prepared_.backup, settings_.engine.spool_directory,
                                 reading));
  std::optional<restore::Plan> plan;
  if (is_second_try) {
    TRY_ASSIGN(plan, "stored plan", active_->files->load_plan(reading));
  }
  TRY_ASSIGN(plugin_actions_, "", open_plugin_actions(settings_, log_, reading));
  if (settings_.pod_volumes && wants_pod_volumes()) action_context_->pod_volume_backups = &inputs.pod_volume_backups;
  volumes_.emplace(
      context_.client, context_.clock,
      volume_info::RestoreVolumeInfoTracker::Request{.name_space = context_.name_space,
                                                     .restore = name_,
                                                     .uid = uid_,
                                                     .wish = {.restores_volumes = spec_.restore_volumes.value_or(true),
                                                              .fills_pod_volumes = wants_pod_volumes(),
                                                              .has_csi = settings_.engine.has_csi,
                                                              .is_cut_off = false}},
      log_);
  restore::RestoreJob job = job_of(inputs);
  job.stored_plan = plan ? &*plan : nullptr;
  job.found_lines = &active_->found_lines;
  restore::RestoreTools tools = tools_of(progress, *active_->journal);
  tools.hooks = active_->hooks.get();
  tools.options.version_priorities = version_priorities(stops.run);
  std::optional<SnapshotRestoreRun> snapshots;
  if (settings_.snapshots) {
    snapshots.emplace(context_, settings_.snapshots->of(context_, *restore_, log_), settings_.operation_sync_frequency,
                      *restore_, job.volume_snapshots, *active_->journal, active_->found_lines, log_);
    tools.snapshots = &*snapshots;
  }
  auto product = run_with_pod_volumes(job, tools, inputs, is_second_try, stops);
  if (snapshots && !stops.server.stop_requested()) end_snapshots(*snapshots, product, is_second_try, stops);
  if (product && !stops.server.stop_requested()) account_for_volumes(inputs, *product, stops.server);
  return product;
}

void RestoreExecution::account_for_volumes(const RestoreInputs& inputs, RestoreProduct& product,
                                           const std::stop_token& stop) {
  if (product.is_cut_off) volumes_->cut_off();
  volumes_->handled(product.claims, product.volumes);
  for (const operation::ItemOperation& one : product.operations) {
    if (one.item.resource.resource != "persistentvolumeclaims") continue;
    // An operation has the namespace that the claim has now, and the name that it had in the backup.
    const auto claim = std::ranges::find_if(product.claims, [&](const volume_info::HandledObject& handled) {
      return handled.now.name_space == one.item.name_space && handled.original.name == one.item.name;
    });
    const k8s::NamespacedName named{one.item.name_space, one.item.name};
    volumes_->operation_on(claim == product.claims.end() ? named : claim->now, one.action);
  }
  const volume_info::BackedUpClaims backup(pointer(inputs.volume_infos), &inputs.pod_volume_backups,
                                           pointer(inputs.csi_volume_snapshots));
  volume_info::RestoreVolumeInfoTracker::Account account = volumes_->generate(backup, stop);
  for (const volume_info::RestoredVolume& row : account.rows) volume_infos_.push_back(to_json(row));
  for (const auto& missing : account.missing) {
    log_.log(missing.is_error ? LogLevel::kError : LogLevel::kWarning, missing.text);
    operation::ResultList& list = missing.is_error ? product.results.errors : product.results.warnings;
    list.add_to_namespace(missing.name_space, missing.text);
  }
}

void RestoreExecution::end_snapshots(SnapshotRestoreRun& snapshots, Result<RestoreProduct>& product, bool is_second_try,
                                     const Stops& stops) {
  const bool goes_on = !product && is_second_try && is_retryable(product.error().code());
  if (stops.run.stop_requested() || (!product && !goes_on)) snapshots.cancel(stops.server);
  if (product && !product->is_cut_off) {
    SnapshotRestoreRun::Ended ended = snapshots.finish(stops.run);
    for (std::string& error : ended.errors) product->results.errors.add_to_cluster(std::move(error));
    std::ranges::move(ended.operations, std::back_inserter(product->operations));
    for (volume_info::RestoredNative& made : ended.volumes) volumes_->restored_from_snapshot(std::move(made));
    active_->quiet_volumes = std::move(ended.quiet);
    if (!ended.operations.empty()) return;
  } else if (product) {
    for (volume_info::RestoredNative& made : snapshots.made_before_cut()) {
      volumes_->restored_from_snapshot(std::move(made));
    }
  }
  settings_.snapshots->drop(api::kRestore, name_);
}

Result<RestoreProduct> RestoreExecution::run_with_pod_volumes(const restore::RestoreJob& job,
                                                              restore::RestoreTools& tools, const RestoreInputs& inputs,
                                                              bool is_second_try, const Stops& stops) {
  if (!settings_.pod_volumes) return run_restore(job, tools, stops.run);
  PodVolumeRestoreRun volumes(context_, *settings_.pod_volumes, *restore_, inputs.pod_volume_backups, tools.progress,
                              log_);
  tools.pod_volumes = &volumes;
  auto product = run_restore(job, tools, stops.run);
  // A server that just stops, or a restore that will go on, leaves its volumes to the next one.
  if (stops.server.stop_requested()) return product;
  const bool goes_on = !product && is_second_try && is_retryable(product.error().code());
  if (stops.run.stop_requested() || (!product && !goes_on)) volumes.cancel();
  for (const json::Json& one : volumes.restores()) volumes_->pod_volume_restore(one);
  return product;
}

// As in Velero, who leaves out claims or volumes leaves out their data: no pod is to wait for it.
bool RestoreExecution::wants_pod_volumes() const {
  const auto filter = selection::RestoreFilter::make(
      prepared_.filter, prepared_.policies ? &*prepared_.policies : nullptr, *prepared_.discovery);
  return !filter || (filter->resource({"", "persistentvolumeclaims"}) && filter->resource({"", "persistentvolumes"}));
}

restore::RestoreJob RestoreExecution::job_of(const RestoreInputs& inputs) const {
  return {.restore = *restore_,
          .spec = spec_,
          .filter = prepared_.filter,
          .backup = prepared_.backup,
          .archive = inputs.archive,
          .volume_infos = pointer(inputs.volume_infos),
          .volume_snapshots = pointer(inputs.volume_snapshots),
          .csi_volume_snapshots = pointer(inputs.csi_volume_snapshots),
          .pod_volume_backups = &inputs.pod_volume_backups,
          .modifiers = prepared_.modifiers ? &*prepared_.modifiers : nullptr,
          .policies = prepared_.policies ? &*prepared_.policies : nullptr};
}

restore::RestoreTools RestoreExecution::tools_of(progress::ItemReporter& progress, operation::Journal& journal) {
  return {.client = context_.client,
          .clock = context_.clock,
          .random = context_.random,
          .log = log_,
          .item_log = Logger(context_.clock, run_log_, settings_.log_level),
          .progress = progress,
          .journal = journal,
          .make_actions =
              [this](kube::Client&, const kube::Discovery& discovery) {
                // The cluster has been asked, and nothing is restored yet.
                if (is_canceled_before_) run_stop_.request_stop();
                auto hooks = hooks::RestoreHooks::make(spec_.hooks, discovery);
                // It was made before, when the Restore was looked at.
                return restore_actions_of(settings_, *action_context_, discovery,
                                          hooks ? *std::move(hooks) : hooks::RestoreHooks(), plugin_actions_);
              },
          .save_plan =
              [this](const restore::Plan& plan, const std::stop_token& stop) {
                return active_->files->save_plan(plan, settings_.engine.spool_directory, stop);
              },
          .options = settings_.engine};
}

// What users prefer, where they have said so.
std::string RestoreExecution::version_priorities(const std::stop_token& stop) const {
  if (!settings_.engine.chooses_versions) return "";
  const kube::Resource maps(context_.client, {"", "v1", "configmaps"}, context_.name_space);
  const auto map = maps.get("enableapigroupversions", stop);
  return map ? json::string_or(*map, {"data", "restoreResourcesVersionPriority"}, "") : "";
}

void RestoreExecution::close(progress::ItemReporter& progress, const std::stop_token& stop) {
  // Advisory: the numbers that count are written with the phase.
  const Status said = progress.finish(context_.clock.after(stop.stop_requested() ? Duration{} : kLastWord), stop);
  if (!said) context_.log.info("Last progress was not written", {LogField(said.error())});
  last_progress_ = progress.snapshot();
  last_progress_->step = progress::ItemStep::kFinalizing;
}

Status RestoreExecution::end_run(RestoreProduct product, const Stops& stops) {
  const bool is_canceled = product.is_cut_off;
  if (is_canceled) {
    log_.info("Restore is canceled");
    cancel_operations(product, stops.server);
  } else {
    log_.info("Restore has handled all items");
  }
  store(product, stops.server);
  TRY_ASSIGN(const json::Json before, "", current(stops.server));
  json::Json after = before;
  const bool has_moving_volumes = std::ranges::any_of(product.operations, [](const operation::ItemOperation& one) {
    return one.action == kVolumeAction && !operation::is_final(one.phase);
  });
  if (has_moving_volumes) last_progress_->step = progress::ItemStep::kRestoringVolumes;
  TRY("", api::set_restore_progress(after, *last_progress_));
  TRY("", api::set_status_count(after, api::field::kErrors, product.results.errors.count()));
  TRY("", api::set_status_count(after, api::field::kWarnings, product.results.warnings.count()));
  const std::int64_t failed = count(product.operations, operation::OperationPhase::kFailed);
  const std::int64_t completed = count(product.operations, operation::OperationPhase::kCompleted);
  const auto attempted = static_cast<std::int64_t>(product.operations.size());
  TRY("", api::set_restore_operations(after, {.attempted = attempted, .completed = completed, .failed = failed}));
  if (is_canceled) {
    TRY("", end_restore(context_, before, std::move(after), {.is_canceled = true}, stops.server, IfChanged::kMerge));
    forget_journal(stops.server);
    return {};
  }
  TRY("", api::set_phase(after, phase_after(failed + completed < attempted, product.results.errors.count() > 0)));
  // Before it is said: whoever finalizes it looks there.
  all_active_.put(uid_, active_);
  const Status said = write_change(context_.objects(api::kRestore), before, after, stops.server);
  if (!said) all_active_.drop(uid_);
  return said;
}

// A bucket that is away may come back; what happened is worth a wait. Once it has not, nothing is waited for again.
Status RestoreExecution::patiently(const std::function<Status()>& write, const std::stop_token& stop) {
  while (true) {
    Status written = write();
    if (written || stop.stop_requested() || context_.clock.now() >= store_deadline_) return written;
    log_.info("A file of the restore cannot be stored, and is tried again", {LogField(written.error())});
    if (!context_.clock.sleep_for(kStoreAgain, stop)) return written;
  }
}

void RestoreExecution::say_if_not_stored(std::string_view what, const Status& stored) const {
  if (stored) return;
  context_.log.error("A file of the restore is not stored",
                     {{"restore", name_}, {"file", what}, LogField(stored.error())});
}

Status RestoreExecution::store_log(const std::stop_token& stop) {
  TRY_ASSIGN(const auto log, "", run_log_->finish());
  return active_->files->write(RestoreArtifact::kLog, extension::SpoolSource(*log), stop);
}

// In Velero's order; what cannot be stored does not change what was restored.
void RestoreExecution::store(RestoreProduct& product, const std::stop_token& stop) {
  RestoreFiles& files = *active_->files;
  store_deadline_ = context_.clock.after(settings_.engine.resource_timeout);
  if (files.is_read_only()) {
    log_.warning("The location is read-only: the log, the results and the resource list of the restore are not stored");
  }
  if (const Status stored = patiently([&] { return store_log(stop); }, stop); !stored) {
    say_if_not_stored("log", stored);
    product.results.errors.add_to_run("the log of the restore could not be stored: " + stored.error().message());
  }
  const json::Json results = product.results.to_json();
  say_if_not_stored("results", patiently([&] { return files.write(RestoreArtifact::kResults, results, stop); }, stop));
  store_list(product, stop);
  say_if_not_stored("item operations",
                    files.write(RestoreArtifact::kItemOperations,
                                operation::to_json(product.operations, operation::OperationOwner::kRestore), stop));
  say_if_not_stored("volume information",
                    patiently([&] { return files.write(RestoreArtifact::kVolumeInfos, volume_infos_, stop); }, stop));
}

void RestoreExecution::store_list(const RestoreProduct& product, const std::stop_token& stop) {
  const extension::SpoolSource list(product.resource_list);
  if (!active_->files->is_read_only()) {
    return say_if_not_stored("resource list", active_->files->write(RestoreArtifact::kResourceList, list, stop));
  }
  // Of it only what is needed to end the restore.
  const auto claims = [&]() -> Status {
    TRY_ASSIGN(const auto bytes, "", list.open());
    TRY_ASSIGN(const json::Json whole, "", bucket::decode(*bytes, bucket::Form::kGzipJson));
    constexpr std::string_view kClaims = "v1/PersistentVolumeClaim";
    json::Json part = json::Json::object();
    if (const json::Json* found = json::find(whole, {kClaims})) part[std::string(kClaims)] = *found;
    return active_->files->write(RestoreArtifact::kResourceList, part, stop);
  };
  say_if_not_stored("resource list", claims());
}

void RestoreExecution::cancel_operations(const RestoreProduct& product, const std::stop_token& stop) const {
  if (product.operations.empty()) return;
  const RestoreActions actions =
      restore_actions_of(settings_, *action_context_, *prepared_.discovery, active_->hooks->hooks(), plugin_actions_);
  TransferWaitable transfers(context_, settings_.snapshots);
  for (const operation::ItemOperation& one : product.operations) {
    cancel_operation(context_, one, transfers.or_of(actions, one.action), *restore_, stop);
  }
}

void RestoreExecution::forget_journal(const std::stop_token& stop) {
  if (active_) forget_records(context_, *active_, stop);
}

Status RestoreExecution::end_canceled(const std::stop_token& stop) {
  log_.info("Restore is canceled");
  TRY_ASSIGN(const json::Json before, "", current(stop));
  if (active_) say_if_not_stored("log", store_log(stop));
  TRY("", end_restore(context_, before, before, {.is_canceled = true}, stop, IfChanged::kMerge));
  forget_journal(stop);
  return {};
}

Status RestoreExecution::end_failed(const Error& error, const std::stop_token& stop) {
  log_.error("Restore has failed", {LogField(error)});
  TRY_ASSIGN(const json::Json before, "", current(stop));
  if (active_) {
    operation::Results results;
    results.errors.add_to_run(error.message());
    say_if_not_stored("log", store_log(stop));
    say_if_not_stored("results", active_->files->write(RestoreArtifact::kResults, results.to_json(), stop));
  }
  json::Json after = before;
  TRY("", api::set_status_count(after, api::field::kErrors, 1));
  TRY("", end_restore(context_, before, std::move(after), {.why = error.message()}, stop, IfChanged::kMerge));
  forget_journal(stop);
  return {};
}

Status RestoreExecution::preview(const Stops& stops) {
  const auto plan = make_preview(stops);
  if (stops.server.stop_requested()) return fail(Code::kCancelled, "the server stops");
  if (plan) return end_preview(*plan, stops.server);
  return end_interrupted(plan.error(), false, stops);
}

Result<restore::Plan> RestoreExecution::make_preview(const Stops& stops) {
  active_ = std::make_shared<ActiveRestore>();
  active_->restore = restore_;
  active_->files = std::move(files_);
  // A preview has nothing to go on with: it is made again.
  operation::MemoryRecords records;
  TRY_ASSIGN(const auto journal, "", operation::Journal::open(records, {}, context_.clock, context_.random, log_, {}));
  progress::ItemReporter progress(context_.clock, context_.log);
  TRY_ASSIGN(const RestoreInputs inputs, "read backup " + spec_.backup_name,
             read_restore_inputs(context_, active_->files->bucket(), prepared_.backup, settings_.engine.spool_directory,
                                 stops.run));
  restore::RestoreTools tools = tools_of(progress, *journal);
  tools.options.version_priorities = version_priorities(stops.run);
  TRY_ASSIGN(restore::Plan plan, "", preview_restore(job_of(inputs), tools, stops.run));
  plan.is_preview = true;
  TRY("store the plan", active_->files->save_plan(plan, settings_.engine.spool_directory, stops.run));
  return plan;
}

Status RestoreExecution::end_preview(const restore::Plan& plan, const std::stop_token& stop) {
  log_.info("Preview is made, and nothing was restored", {{"items", plan.total()}});
  say_if_not_stored("log", store_log(stop));
  say_if_not_stored("results", active_->files->write(RestoreArtifact::kResults, operation::Results().to_json(), stop));
  progress::ItemProgress progress{.step = progress::ItemStep::kFinalizing};
  progress.items.total = plan.total();
  progress.items.in_backup = plan.items_in_backup;
  progress.items.not_selected = plan.not_selected_total();
  for (const restore::NotSelected& one : plan.not_selected) {
    progress.items.not_selected_by_reason[one.reason] += static_cast<std::int64_t>(one.names.size());
  }
  TRY_ASSIGN(const json::Json before, "", current(stop));
  json::Json after = before;
  TRY("", api::set_restore_progress(after, progress));
  return end_restore(context_, before, std::move(after), {.phase = RestorePhase::kCompleted}, stop, IfChanged::kMerge);
}

}  // namespace landfall::control
