#include "control/restore_finalizer_reconciler.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "api/phases.h"
#include "api/progress_fields.h"
#include "api/restore.h"
#include "api/status.h"
#include "control/change.h"
#include "control/late_volumes.h"
#include "control/operation_polling.h"
#include "control/restore_ending.h"
#include "control/restore_files.h"
#include "control/restore_operations_reconciler.h"
#include "control/snapshot_restore_run.h"
#include "control/transfer_follower.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::control {

using api::RestorePhase;
using bucket::RestoreArtifact;
using json::Json;
using operation::ResultList;

namespace {

constexpr Duration kLookEvery = std::chrono::seconds(1);
// As everywhere: nothing has moved for so long.
constexpr Duration kStalledAfter = std::chrono::seconds(30);

std::string uid_of(const Json& restore) { return std::string(k8s::ObjectView(restore).uid()); }

ResultList errors_of(const ActiveRestore& active) {
  ResultList errors;
  if (active.volumes) errors.merge(active.volumes->errors());
  for (const std::string& failure : active.late_failures) errors.add_to_cluster(failure);
  for (const auto& failure : active.hooks->failures()) errors.add_to_namespace(failure.name_space, failure.text);
  return errors;
}

// What of `added` is not in the list at that place yet.
Json missing(const Json& added, const Json* stored) {
  Json rest = Json::array();
  for (const Json& message : added) {
    const bool is_known =
        stored != nullptr && stored->is_array() && std::ranges::find(*stored, message) != stored->end();
    if (!is_known) rest.push_back(message);
  }
  return rest;
}

// The part of `added` that `stored` has not: an earlier try may have stored it and died.
Json missing_results(const Json& added, const Json& stored) {
  Json rest = Json::object();
  for (const auto& [place, messages] : added.items()) {
    if (place != "namespaces") {
      rest[place] = missing(messages, json::find(stored, {place}));
      continue;
    }
    for (const auto& [name_space, texts] : messages.items()) {
      rest[place][name_space] = missing(texts, json::find(stored, {place, name_space}));
    }
  }
  return rest;
}

}  // namespace

Result<kube::Reconciled> RestoreFinalizerReconciler::reconcile(const k8s::NamespacedName& name,
                                                               const std::stop_token& stop) {
  auto found = context_.objects(api::kRestore).get(name.name, stop);
  if (!found && found.error().code() == Code::kNotFound) return kube::Reconciled{};
  TRY_ASSIGN(const Json restore, "read restore " + name.name, std::move(found));
  const auto phase = api::phase_of<RestorePhase>(restore);
  if (phase != RestorePhase::kFinalizing && phase != RestorePhase::kFinalizingPartiallyFailed) {
    return kube::Reconciled{};
  }
  if (k8s::ObjectView(restore).is_being_deleted()) return kube::Reconciled{};

  TRY_ASSIGN(const auto location, "", location_of_restore(context_, restore, stop));
  if (!location) {
    active_.drop(uid_of(restore));
    const std::string why = "the backup, or its storage location, does not exist any more";
    TRY("", end_restore(context_, restore, restore, {.phase = RestorePhase::kPartiallyFailed, .why = why}, stop));
    return kube::Reconciled{};
  }
  if (api::is_cancel_wanted(restore)) {
    TRY("", cancel(restore, *location, stop));
    return kube::Reconciled{};
  }
  TRY_ASSIGN(const std::shared_ptr<ActiveRestore> active, "finalize restore " + name.name,
             active_of(restore, *location, stop));
  const bool has_volumes = active->volumes->advance(stop);
  const bool has_hooks = active->hooks->wait(context_.clock.now(), stop);
  if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
  if (!has_volumes || !has_hooks) {
    TRY("", show_waiting(restore, *active, stop));
    return kube::Reconciled{.again_after = kLookEvery};
  }
  TRY_ASSIGN(const bool waits_again, "finalize restore " + name.name, wait_again(restore, *active, stop));
  if (!waits_again) TRY("finalize restore " + name.name, finish(restore, *active, stop));
  return kube::Reconciled{};
}

Result<std::shared_ptr<ActiveRestore>> RestoreFinalizerReconciler::active_of(const Json& restore,
                                                                             const FoundLocation& location,
                                                                             const std::stop_token& stop) {
  std::shared_ptr<ActiveRestore> active = active_.get(uid_of(restore));
  if (!active) {
    TRY_ASSIGN(auto files, "", RestoreFiles::open(context_, location, restore, context_.log, stop));
    TRY_ASSIGN(const auto discovery, "", discovery_.get(stop));
    const Logger log =
        context_.log.with({{"restore", context_.name_space + "/" + std::string(k8s::ObjectView(restore).name())}});
    TRY_ASSIGN(
        active, "",
        open_active_restore(context_, *discovery, std::make_shared<const Json>(restore), std::move(files), log, stop));
    active->quiet_volumes = SnapshotRestoreRun::made_in(active->found_lines);
    active_.put(uid_of(restore), active);
  }
  active->found_lines = {};
  if (!active->volumes) TRY("", plan_volumes(*active, restore, stop));
  return active;
}

Status RestoreFinalizerReconciler::plan_volumes(ActiveRestore& active, const Json& restore,
                                                const std::stop_token& stop) const {
  TRY_ASSIGN(const api::RestoreSpec spec, "", api::read_restore_spec(restore));
  RestoreFiles& files = *active.files;
  TRY_ASSIGN(const auto infos, "volume information of backup " + spec.backup_name,
             files.bucket().read(spec.backup_name, bucket::BackupArtifact::kVolumeInfos, stop));
  TRY_ASSIGN(const auto rows, "volume information of the restore", files.read(RestoreArtifact::kVolumeInfos, stop));
  std::vector<PatchedVolume> volumes;
  if (infos && infos->is_array() && !infos->empty()) {
    TRY_ASSIGN(const auto list, "resource list of the restore", files.read(RestoreArtifact::kResourceList, stop));
    TRY_ASSIGN(const auto operations, "", read_restore_operations(files, stop));
    volumes = volumes_to_patch(*infos, list.value_or(Json::object()), operations, spec.namespace_mapping);
  }
  if (rows) std::ranges::move(claims_to_await(*rows, volumes), std::back_inserter(volumes));
  active.volumes =
      std::make_unique<RestoreVolumePatches>(context_, std::move(volumes), settings_.engine.resource_timeout);
  return {};
}

Status RestoreFinalizerReconciler::show_waiting(const Json& before, ActiveRestore& active,
                                                const std::stop_token& stop) const {
  auto progress = api::read_item_progress(before);
  if (!progress) return {};
  const std::string hook = active.hooks->waiting_for();
  progress->step = hook.empty() ? progress::ItemStep::kFinalizing : progress::ItemStep::kRunningHooks;
  progress->current = hook.empty() ? active.volumes->waiting_for() : hook;
  if (active.waits_for != progress->current) {
    active.waits_for = progress->current;
    active.waits_since = context_.clock.wall_now();
  }
  progress->stalled.reset();
  if (context_.clock.wall_now() - active.waits_since >= kStalledAfter) {
    progress->stalled = progress::Stall{
        .since = active.waits_since,
        .reason = hook.empty() ? "the volume is not bound yet" : "the container does not run, or is not ready",
        .item = progress->current};
  }
  Json after = before;
  TRY("", api::set_restore_progress(after, *progress));
  return write_change(context_.objects(api::kRestore), before, after, stop);
}

// A plugin has begun to tell of a volume after the run: it is waited for as if it had done so at once.
Result<bool> RestoreFinalizerReconciler::wait_again(const Json& before, ActiveRestore& active,
                                                    const std::stop_token& stop) const {
  if (active.quiet_volumes.empty()) return false;
  RestoreFiles& files = *active.files;
  TRY_ASSIGN(std::vector<operation::ItemOperation> operations, "", read_restore_operations(files, stop));
  TRY_ASSIGN(const std::vector<LateVolume> late, "",
             look_for_late_volumes(context_, before, active.quiet_volumes, operations, stop));
  TRY_ASSIGN(std::optional<Json> rows, "volume information of the restore",
             files.read(RestoreArtifact::kVolumeInfos, stop));
  if (rows && reopen_rows(late, *rows)) TRY("", files.write(RestoreArtifact::kVolumeInfos, *rows, stop));
  active.late_failures = failures_without_rows(late, rows.value_or(Json()));
  for (const LateVolume& one : late) {
    if (one.sight.state != TransferSight::State::kUnderWay) continue;
    operations.push_back(
        operation_of({.transfer = one.transfer, .sight = one.sight}, before, kVolumeAction, context_.clock.wall_now()));
  }
  // Also those that a try before this one has added without being able to write the Restore.
  const bool is_over = std::ranges::all_of(
      operations, [](const auto& one) { return one.action != kVolumeAction || is_final(one.phase); });
  if (is_over) return false;
  TRY("", files.write(RestoreArtifact::kItemOperations,
                      operation::to_json(operations, operation::OperationOwner::kRestore), stop));
  Json after = before;
  const bool is_whole = api::phase_of<RestorePhase>(before) == RestorePhase::kFinalizing;
  TRY("", api::set_phase(after, is_whole ? RestorePhase::kWaitingForPluginOperations
                                         : RestorePhase::kWaitingForPluginOperationsPartiallyFailed));
  TRY("", api::set_restore_operations(after, {.attempted = static_cast<std::int64_t>(operations.size()),
                                              .completed = count(operations, operation::OperationPhase::kCompleted),
                                              .failed = count(operations, operation::OperationPhase::kFailed)}));
  if (auto progress = api::read_item_progress(before)) {
    progress->step = progress::ItemStep::kRestoringVolumes;
    progress->current.clear();
    progress->stalled.reset();
    TRY("", api::set_restore_progress(after, *progress));
  }
  TRY("", write_change(context_.objects(api::kRestore), before, after, stop, IfChanged::kConflict));
  return true;
}

Status RestoreFinalizerReconciler::finish(const Json& before, ActiveRestore& active, const std::stop_token& stop) {
  operation::Results added{.errors = errors_of(active), .warnings = {}};
  ResultList& errors = added.errors;
  const bool has_errors = !errors.empty() || api::phase_of<RestorePhase>(before) != RestorePhase::kFinalizing;
  // Once: what was found out late is not late any more at a second try.
  if (!active.settled) active.settled = settle_volumes(before, active, stop);
  // With an error in them the results tell of all the others already.
  for (const auto& [name_space, text] : has_errors ? active.settled->failed_late : active.settled->failed) {
    errors.add_to_namespace(name_space, text);
  }
  for (const auto& [name_space, text] : active.settled->unfinished) added.warnings.add_to_namespace(name_space, text);
  TRY("", add_to_results(*active.files, added, stop));
  Json after = before;
  const auto raise = [&](std::string_view field, const ResultList& list) {
    return api::set_status_count(after, field, api::status_count(before, field) + list.count());
  };
  TRY("", raise(api::field::kErrors, errors));
  if (!added.warnings.empty()) TRY("", raise(api::field::kWarnings, added.warnings));
  const hooks::HookCounts hooks = active.hooks->counts();
  TRY("", api::set_hook_status(after, hooks.attempted, hooks.failed));
  if (auto progress = api::read_item_progress(before)) {
    progress->step = progress::ItemStep::kFinalizing;
    progress->current.clear();
    TRY("", api::set_restore_progress(after, *progress));
  }
  const bool is_whole = api::phase_of<RestorePhase>(before) == RestorePhase::kFinalizing && errors.empty();
  const RestorePhase phase = is_whole ? RestorePhase::kCompleted : RestorePhase::kPartiallyFailed;
  TRY("", end_restore(context_, before, std::move(after), {.phase = phase}, stop));
  forget_records(context_, active, stop);
  active_.drop(uid_of(before));
  return {};
}

// A best effort: what is known of volumes does not keep a restore from its end.
SettledVolumes RestoreFinalizerReconciler::settle_volumes(const Json& restore, ActiveRestore& active,
                                                          const std::stop_token& stop) const {
  RestoreFiles& files = *active.files;
  const Logger log = context_.log.with({{"restore", std::string(k8s::ObjectView(restore).name())}});
  auto rows = files.read(RestoreArtifact::kVolumeInfos, stop);
  if (!rows || !*rows) {
    if (!rows) log.warning("The volume information of a restore cannot be read", {LogField(rows.error())});
    return {};
  }
  const std::vector<VolumeNote> known = failed_volumes(**rows);
  const auto operations = read_restore_operations(files, stop);
  if (!operations) log.warning("The operations of a restore cannot be read", {LogField(operations.error())});
  bool has_changed = settle_volume_rows(context_, restore, operations.value_or(std::vector<operation::ItemOperation>()),
                                        **rows, log, stop);
  has_changed = fail_unbound_rows(active.volumes->unbound(), **rows) || has_changed;
  if (has_changed) {
    const Status stored = files.write(RestoreArtifact::kVolumeInfos, **rows, stop);
    if (!stored) log.warning("The volume information of a restore is not stored", {LogField(stored.error())});
  }
  SettledVolumes settled{.failed_late = {}, .failed = failed_volumes(**rows), .unfinished = unfinished_volumes(**rows)};
  std::ranges::copy_if(settled.failed, std::back_inserter(settled.failed_late),
                       [&](const VolumeNote& note) { return std::ranges::find(known, note) == known.end(); });
  return settled;
}

Status RestoreFinalizerReconciler::add_to_results(RestoreFiles& files, const operation::Results& added,
                                                  const std::stop_token& stop) const {
  if (added.errors.empty() && added.warnings.empty()) return {};
  if (!files.keeps(RestoreArtifact::kResults)) return {};
  TRY_ASSIGN(const auto stored, "results of the restore", files.read(RestoreArtifact::kResults, stop));
  const Json document = stored.value_or(Json::object());
  operation::Results results;
  if (stored) {
    TRY_ASSIGN(results, "results of the restore", operation::Results::from_json(document));
  }
  const auto rest_of = [&](const ResultList& list, std::string_view kind) {
    const Json* known = json::find(document, {kind});
    return ResultList::from_json(missing_results(list.to_json(), known != nullptr ? *known : Json::object()));
  };
  TRY_ASSIGN(const ResultList errors, "", rest_of(added.errors, "errors"));
  TRY_ASSIGN(const ResultList warnings, "", rest_of(added.warnings, "warnings"));
  if (errors.empty() && warnings.empty()) return {};
  results.errors.merge(errors);
  results.warnings.merge(warnings);
  return files.write(RestoreArtifact::kResults, results.to_json(), stop);
}

Status RestoreFinalizerReconciler::cancel(const Json& before, const FoundLocation& location,
                                          const std::stop_token& stop) {
  std::shared_ptr<ActiveRestore> active = active_.get(uid_of(before));
  Json after = before;
  if (auto progress = api::read_item_progress(before)) {
    progress->step = progress::ItemStep::kFinalizing;
    progress->current.clear();
    progress->stalled.reset();
    TRY("", api::set_restore_progress(after, *progress));
  }
  if (active && active->hooks) {
    ResultList errors = errors_of(*active);
    const std::string waiting = active->hooks->waiting_for();
    if (!waiting.empty()) errors.add_to_run("canceled while restore hooks waited, and were not run: " + waiting);
    const hooks::HookCounts counts = active->hooks->counts();
    TRY("", api::set_hook_status(after, counts.attempted, counts.failed));
    TRY("", api::set_status_count(after, api::field::kErrors,
                                  api::status_count(before, api::field::kErrors) + errors.count()));
    // What cannot be stored is still canceled.
    static_cast<void>(add_to_results(*active->files, {.errors = errors, .warnings = {}}, stop));
    active->hooks.reset();
  }
  if (!active) {
    // The bucket need not be there for it.
    if (auto files = RestoreFiles::open(context_, location, before, context_.log, stop)) {
      active = std::make_shared<ActiveRestore>();
      active->files = *std::move(files);
    }
  }
  if (active && active->files) cancel_volume_rows(*active->files, context_.log, stop);
  TRY("", end_restore(context_, before, std::move(after), {.is_canceled = true}, stop));
  if (!active) return {};
  forget_records(context_, *active, stop);
  active_.drop(uid_of(before));
  return {};
}

}  // namespace landfall::control
