#include "control/restore_withdrawal_reconciler.h"

#include <memory>
#include <string>
#include <vector>

#include "api/labels.h"
#include "api/phases.h"
#include "api/status.h"
#include "control/change.h"
#include "control/restore_ending.h"
#include "control/restore_files.h"
#include "control/restore_operations_reconciler.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::control {

using api::RestorePhase;

namespace {

// When to look again whether a restore that was told to stop has stopped.
constexpr Duration kStopPoll = std::chrono::milliseconds(500);

}  // namespace

Result<kube::Reconciled> RestoreWithdrawalReconciler::reconcile(const k8s::NamespacedName& name,
                                                                const std::stop_token& stop) {
  auto found = context_.objects(api::kRestore).get(name.name, stop);
  if (!found && found.error().code() == Code::kNotFound) return kube::Reconciled{};
  TRY_ASSIGN(const json::Json restore, "read restore " + name.name, std::move(found));
  const k8s::ObjectView view(restore);
  if (view.is_being_deleted()) {
    if (!view.has_finalizer(api::finalizer::kRestore)) return kube::Reconciled{};
    return remove(restore, stop);
  }
  if (api::phase_of<RestorePhase>(restore) == RestorePhase::kNew && api::is_cancel_wanted(restore)) {
    TRY("", end_restore(context_, restore, restore, {.is_canceled = true}, stop));
  }
  return kube::Reconciled{};
}

Result<kube::Reconciled> RestoreWithdrawalReconciler::remove(const json::Json& restore, const std::stop_token& stop) {
  const k8s::ObjectView view(restore);
  if (context_.running.cancel(api::kRestore, std::string(view.name()))) {
    return kube::Reconciled{.again_after = kStopPoll};
  }
  active_.drop(std::string(view.uid()));
  TRY("remove the files of restore " + std::string(view.name()), remove_files(restore, stop));
  json::Json after = restore;
  k8s::remove_finalizer(after, api::finalizer::kRestore);
  const Status freed = write_change(context_.objects(api::kRestore), restore, after, stop, IfChanged::kConflict);
  if (!freed && freed.error().code() != Code::kNotFound) return fail("", freed.error());
  return kube::Reconciled{};
}

Status RestoreWithdrawalReconciler::remove_files(const json::Json& restore, const std::stop_token& stop) {
  const auto records = config_map_records_of(context_, restore);
  TRY_ASSIGN(const std::vector<std::string> names, "", records->list(stop));
  for (const std::string& name : names) TRY("", records->remove(name, stop));
  // One that was never begun has stored nothing: a folder of its name is another's.
  if (!api::status_time(restore, api::field::kStartTimestamp)) return {};
  TRY_ASSIGN(const auto location, "", location_of_restore(context_, restore, stop));
  if (!location) return {};
  if (!location->view.is_available) {
    return fail(Code::kUnavailable, "backup storage location " + location->name + " is not available");
  }
  TRY_ASSIGN(const auto files, "", RestoreFiles::open(context_, *location, restore, context_.log, stop));
  if (is_waiting_for_operations(restore)) {
    TRY_ASSIGN(const auto discovery, "", discovery_.get(stop));
    TRY("", cancel_restore_operations(context_, settings_, *discovery, restore, *files, stop));
  }
  if (files->is_read_only()) return {};
  return files->bucket().remove_restore(k8s::ObjectView(restore).name(), stop);
}

}  // namespace landfall::control
