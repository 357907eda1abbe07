#include "control/restore_operations_reconciler.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "api/phases.h"
#include "api/restore.h"
#include "api/status.h"
#include "control/change.h"
#include "control/operation_polling.h"
#include "control/restore_ending.h"
#include "control/restore_item_actions.h"
#include "control/settled_volumes.h"
#include "control/snapshot_ending.h"
#include "control/transfer_waitable.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::control {

using api::RestorePhase;
using bucket::RestoreArtifact;
using operation::ItemOperation;
using operation::OperationPhase;

namespace {

RestorePhase phase_of_waiting(bool is_over, bool has_errors) {
  if (is_over) return has_errors ? RestorePhase::kFinalizingPartiallyFailed : RestorePhase::kFinalizing;
  return has_errors ? RestorePhase::kWaitingForPluginOperationsPartiallyFailed
                    : RestorePhase::kWaitingForPluginOperations;
}

// The actions of a Restore, with the spec that they look into.
struct ActionsOfRestore {
  api::RestoreSpec spec;
  std::optional<item_actions::RestoreActionContext> context;
  RestoreActions actions;
};

Result<std::unique_ptr<ActionsOfRestore>> make_actions(const Context& context, const RestoreSettings& settings,
                                                       const kube::Discovery& discovery, const json::Json& restore,
                                                       const std::vector<ItemOperation>& operations,
                                                       TransferWaitable& transfers, const std::stop_token& stop) {
  auto made = std::make_unique<ActionsOfRestore>();
  TRY_ASSIGN(made->spec, "", api::read_restore_spec(restore));
  made->context.emplace(item_actions::RestoreActionContext{.client = context.client,
                                                           .name_space = context.name_space,
                                                           .spec = made->spec,
                                                           .has_csi = settings.engine.has_csi,
                                                           .log = context.log});
  made->actions = restore_actions_of(settings, *made->context, discovery, hooks::RestoreHooks(), {});
  // Plugins are started only when an operation may be theirs.
  const bool asks_plugins = std::ranges::any_of(operations, [&](const ItemOperation& one) {
    return !is_final(one.phase) && transfers.or_of(made->actions, one.action) == nullptr;
  });
  if (!asks_plugins) return made;
  TRY_ASSIGN(const SharedRestoreActions of_plugins, "", open_plugin_actions(settings, context.log, stop));
  made->actions = restore_actions_of(settings, *made->context, discovery, hooks::RestoreHooks(), of_plugins);
  return made;
}

}  // namespace

bool is_waiting_for_operations(const json::Json& restore) {
  const auto phase = api::phase_of<RestorePhase>(restore);
  return phase == RestorePhase::kWaitingForPluginOperations ||
         phase == RestorePhase::kWaitingForPluginOperationsPartiallyFailed;
}

Result<std::vector<ItemOperation>> read_restore_operations(RestoreFiles& files, const std::stop_token& stop) {
  TRY_ASSIGN(const auto document, "operations of the restore", files.read(RestoreArtifact::kItemOperations, stop));
  if (!document) return std::vector<ItemOperation>();
  return operation::read_operations(*document, operation::OperationOwner::kRestore);
}

Status cancel_restore_operations(const Context& context, const RestoreSettings& settings,
                                 const kube::Discovery& discovery, const json::Json& restore, RestoreFiles& files,
                                 const std::stop_token& stop) {
  TRY_ASSIGN(const std::vector<ItemOperation> operations, "", read_restore_operations(files, stop));
  TransferWaitable transfers(context, settings.snapshots);
  TRY_ASSIGN(const auto made, "", make_actions(context, settings, discovery, restore, operations, transfers, stop));
  for (const ItemOperation& one : operations) {
    cancel_operation(context, one, transfers.or_of(made->actions, one.action), restore, stop);
  }
  if (settings.snapshots) settings.snapshots->drop(api::kRestore, std::string(k8s::ObjectView(restore).name()));
  return {};
}

Result<kube::Reconciled> RestoreOperationsReconciler::reconcile(const k8s::NamespacedName& name,
                                                                const std::stop_token& stop) {
  auto found = context_.objects(api::kRestore).get(name.name, stop);
  if (!found && found.error().code() == Code::kNotFound) {
    if (settings_.snapshots) settings_.snapshots->drop(api::kRestore, name.name);
    return kube::Reconciled{};
  }
  TRY_ASSIGN(const json::Json restore, "read restore " + name.name, std::move(found));
  if (!is_waiting_for_operations(restore) || k8s::ObjectView(restore).is_being_deleted()) return kube::Reconciled{};
  TRY_ASSIGN(const auto location, "", location_of_restore(context_, restore, stop));
  if (!location) {
    TRY("", give_up(restore, stop));
    return kube::Reconciled{};
  }
  TRY_ASSIGN(auto files, "", RestoreFiles::open(context_, *location, restore, context_.log, stop));
  TRY_ASSIGN(const auto discovery, "", discovery_.get(stop));
  if (api::is_cancel_wanted(restore)) {
    TRY("", cancel(restore, std::move(files), *discovery, stop));
    return kube::Reconciled{};
  }
  return wait(restore, *files, *discovery, stop);
}

Result<kube::Reconciled> RestoreOperationsReconciler::wait(const json::Json& before, RestoreFiles& files,
                                                           const kube::Discovery& discovery,
                                                           const std::stop_token& stop) {
  TRY_ASSIGN(const Operations old, "", read_restore_operations(files, stop));
  TransferWaitable transfers(context_, settings_.snapshots);
  TRY_ASSIGN(const auto made, "", make_actions(context_, settings_, discovery, before, old, transfers, stop));
  const Duration timeout = made->spec.item_operation_timeout > Duration::zero()
                               ? made->spec.item_operation_timeout
                               : settings_.defaults.item_operation_timeout;
  Operations operations = old;
  for (ItemOperation& operation : operations) {
    if (is_final(operation.phase)) continue;
    ask_operation(context_, operation, transfers.or_of(made->actions, operation.action), before, timeout, stop);
  }
  if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
  TRY("", settle(before, files, old, operations, stop));
  const bool is_over = std::ranges::all_of(operations, [](const auto& one) { return is_final(one.phase); });
  if (!is_over) return kube::Reconciled{.again_after = settings_.operation_sync_frequency};
  if (settings_.snapshots) settings_.snapshots->drop(api::kRestore, std::string(k8s::ObjectView(before).name()));
  return kube::Reconciled{};
}

Status RestoreOperationsReconciler::settle(const json::Json& before, RestoreFiles& files, const Operations& old,
                                           const Operations& operations, const std::stop_token& stop) {
  const std::int64_t failed = count(operations, OperationPhase::kFailed);
  // By what the Restore says: the list may have been stored by a try that could not write the Restore any more.
  const std::int64_t new_failures = failed - api::status_count(before, "restoreItemOperationsFailed");
  const std::int64_t completed = count(operations, OperationPhase::kCompleted);
  const auto attempted = static_cast<std::int64_t>(operations.size());
  json::Json after = before;
  // As in Velero the results do not name them, the list of operations does; but who restores a volume looks there.
  if (const auto texts = new_transfer_failures(old, operations); !texts.empty()) {
    TRY("", add_to_results(files, texts, stop));
  }
  const std::int64_t errors = api::status_count(before, api::field::kErrors) + new_failures;
  TRY("", api::set_status_count(after, api::field::kErrors, errors));
  TRY("", api::set_restore_operations(after, {.attempted = attempted, .completed = completed, .failed = failed}));
  const bool is_over = completed + failed == attempted;
  TRY("", api::set_phase(after, phase_of_waiting(is_over, errors > 0)));
  if (is_over || failed > count(old, OperationPhase::kFailed)) {
    TRY("", files.write(RestoreArtifact::kItemOperations,
                        operation::to_json(operations, operation::OperationOwner::kRestore), stop));
  }
  return write_change(context_.objects(api::kRestore), before, after, stop, IfChanged::kConflict);
}

Status RestoreOperationsReconciler::add_to_results(RestoreFiles& files, const std::vector<std::string>& errors,
                                                   const std::stop_token& stop) {
  if (!files.keeps(RestoreArtifact::kResults)) return {};
  TRY_ASSIGN(const auto stored, "results of the restore", files.read(RestoreArtifact::kResults, stop));
  TRY_ASSIGN(const json::Json results, "", with_cluster_errors(stored.value_or(json::Json()), errors));
  return files.write(RestoreArtifact::kResults, results, stop);
}

Status RestoreOperationsReconciler::cancel(const json::Json& before, std::unique_ptr<RestoreFiles> files,
                                           const kube::Discovery& discovery, const std::stop_token& stop) {
  TRY("", cancel_restore_operations(context_, settings_, discovery, before, *files, stop));
  cancel_volume_rows(*files, context_.log, stop);
  TRY("", end_restore(context_, before, before, {.is_canceled = true}, stop));
  const std::string uid(k8s::ObjectView(before).uid());
  std::shared_ptr<ActiveRestore> active = active_.get(uid);
  if (!active) {
    active = std::make_shared<ActiveRestore>();
    active->files = std::move(files);
  }
  forget_records(context_, *active, stop);
  active_.drop(uid);
  return {};
}

Status RestoreOperationsReconciler::give_up(const json::Json& before, const std::stop_token& stop) {
  if (settings_.snapshots) settings_.snapshots->drop(api::kRestore, std::string(k8s::ObjectView(before).name()));
  json::Json after = before;
  TRY("", api::set_status_count(after, api::field::kErrors, api::status_count(before, api::field::kErrors) + 1));
  TRY("", api::set_phase(after, RestorePhase::kFinalizingPartiallyFailed));
  context_.log.error("The backup of a restore, or its location, is gone: its operations cannot be followed",
                     {{"restore", std::string(k8s::ObjectView(before).name())}});
  return write_change(context_.objects(api::kRestore), before, after, stop, IfChanged::kConflict);
}

}  // namespace landfall::control
