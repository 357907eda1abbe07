#include "control/restore_run_reconciler.h"

#include <utility>

#include "api/labels.h"
#include "api/phases.h"
#include "api/status.h"
#include "control/change.h"
#include "control/restore_ending.h"
#include "control/restore_execution.h"
#include "control/restore_preparation.h"
#include "json/json.h"
#include "json/parse.h"
#include "k8s/object_view.h"

namespace landfall::control {

using api::RestorePhase;

Result<kube::Reconciled> RestoreRunReconciler::reconcile(const k8s::NamespacedName& name, const std::stop_token& stop) {
  auto found = context_.objects(api::kRestore).get(name.name, stop);
  if (!found && found.error().code() == Code::kNotFound) return kube::Reconciled{};
  TRY_ASSIGN(json::Json restore, "read restore " + name.name, std::move(found));
  if (k8s::ObjectView(restore).is_being_deleted()) return kube::Reconciled{};
  const auto phase = api::phase_of<RestorePhase>(restore);
  if (phase != RestorePhase::kNew && phase != RestorePhase::kInProgress) return kube::Reconciled{};
  TRY("", add_finalizer(restore, stop));
  TRY("", start(restore, stop));
  return kube::Reconciled{};
}

Status RestoreRunReconciler::add_finalizer(json::Json& restore, const std::stop_token& stop) const {
  if (k8s::ObjectView(restore).has_finalizer(api::finalizer::kRestore)) return {};
  const json::Json before = restore;
  TRY("", k8s::add_finalizer(restore, api::finalizer::kRestore));
  return write_change(context_.objects(api::kRestore), before, restore, stop, IfChanged::kConflict);
}

namespace {

// The Restore as it was begun: what was changed in its spec since has no effect, but for spec.cancel, and is put back.
json::Json as_begun(const json::Json& restore) {
  const auto begun = k8s::ObjectView(restore).annotations().get(std::string(kSpecAnnotation));
  if (!begun) return restore;
  auto spec = json::parse(*begun);
  if (!spec || !spec->is_object()) return restore;
  json::Json result = restore;
  result["spec"] = *std::move(spec);
  if (api::is_cancel_wanted(restore)) result["spec"]["cancel"] = true;
  return result;
}

}  // namespace

Status RestoreRunReconciler::start(const json::Json& restore, const std::stop_token& stop) {
  const bool is_second_try = api::phase_of<RestorePhase>(restore) == RestorePhase::kInProgress;
  const bool is_canceled = api::is_cancel_wanted(restore);
  if (is_canceled && !is_second_try) return end_restore(context_, restore, restore, {.is_canceled = true}, stop);
  TRY_ASSIGN(PreparedRestore prepared, "prepare restore",
             prepare_restore(context_, settings_, discovery_, is_second_try ? as_begun(restore) : restore,
                             is_second_try, stop));
  if (is_second_try && prepared.is_location_away && !is_canceled) {
    return fail(Code::kUnavailable, "backup storage location " + prepared.location->name + " is not available");
  }
  RestoreExecution execution(context_, settings_, active_, std::move(prepared));
  if (execution.prepared().problems.empty()) {
    const Status opened = execution.open_bucket(is_second_try, stop);
    if (!opened && (!is_canceled || stop.stop_requested())) return opened;
    if (!opened) return end_restore(context_, restore, restore, {.is_canceled = true}, stop);
  }
  if (execution.prepared().problems.empty()) return execution.run(restore, is_second_try, stop);
  // What it has done cannot be told any more.
  if (is_canceled) return end_restore(context_, restore, restore, {.is_canceled = true}, stop);
  return execution.refuse(restore, is_second_try, stop);
}

}  // namespace landfall::control
