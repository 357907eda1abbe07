#include "control/backup_deletion_reconciler.h"

#include <chrono>
#include <utility>

#include "api/names.h"
#include "api/status.h"
#include "control/due.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::control {
namespace {

using json::Json;

// When another request for the same backup is being obeyed.
constexpr Duration kBusyRetry = std::chrono::seconds(5);

}  // namespace

BackupDeletionReconciler::BackupDeletionReconciler(const Context& context, Settings settings,
                                                   std::vector<BackupCleanup*> cleanups,
                                                   std::vector<extension::DeleteItemAction*> actions)
    : tools_{.context = context,
             .settings = std::move(settings),
             .cleanups = std::move(cleanups),
             .actions = std::move(actions)} {}

Result<kube::Reconciled> BackupDeletionReconciler::reconcile(const k8s::NamespacedName& name,
                                                             const std::stop_token& stop) {
  auto request = tools_.context.objects(api::kDeleteBackupRequest).get(name.name, stop);
  if (!request && request.error().code() == Code::kNotFound) return kube::Reconciled{};
  if (!request) return fail("", std::move(request).error());
  if (k8s::ObjectView(*request).is_being_deleted()) return kube::Reconciled{};
  const auto phase = api::phase_of<api::DeletionPhase>(*request);
  if (!phase) return kube::Reconciled{};
  if (*phase == api::DeletionPhase::kProcessed) return sweep(*request, stop);

  const std::string backup = json::string_or(*request, {"spec", "backupName"}, "");
  if (!busy_.with([&](auto& busy) { return busy.insert(backup).second; })) {
    return kube::Reconciled{.again_after = kBusyRetry};
  }
  auto done = BackupDeletion(tools_, *std::move(request), stop).run();
  busy_.with([&](auto& busy) { busy.erase(backup); });
  if (!done) return fail("delete backup " + backup, std::move(done).error());
  return done;
}

// Those with errors are for people to read; after a while nobody does.
Result<kube::Reconciled> BackupDeletionReconciler::sweep(const Json& request, const std::stop_token& stop) const {
  const k8s::ObjectView view(request);
  const Duration left = until_due(view.creation_timestamp(), tools_.settings.max_age, tools_.context.clock.wall_now());
  if (left > Duration::zero()) return kube::Reconciled{.again_after = left};
  const auto removed = tools_.context.objects(api::kDeleteBackupRequest)
                           .remove(std::string(view.name()), stop, {.uid = std::string(view.uid())});
  if (!removed && removed.error().code() != Code::kNotFound) return fail("", removed.error());
  return kube::Reconciled{};
}

}  // namespace landfall::control
