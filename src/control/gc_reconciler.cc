#include "control/gc_reconciler.h"

#include <algorithm>

#include "api/labels.h"
#include "api/names.h"
#include "api/status.h"
#include "control/change.h"
#include "control/deletion_requests.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::control {
namespace {

using json::Json;

// A location that cannot be reached often can a moment later.
constexpr Duration kLocationRetry = std::chrono::minutes(1);

constexpr std::string_view kLocationNotFound = "BSLNotFound";
constexpr std::string_view kLocationUnreadable = "BSLCannotGet";
constexpr std::string_view kLocationReadOnly = "BSLReadOnly";

}  // namespace

Result<kube::Reconciled> GcReconciler::reconcile(const k8s::NamespacedName& name, const std::stop_token& stop) {
  const auto backup = context_.objects(api::kBackup).get(name.name, stop);
  if (!backup && backup.error().code() == Code::kNotFound) return kube::Reconciled{};
  if (!backup) return fail("", backup.error());
  if (k8s::ObjectView(*backup).is_being_deleted()) return kube::Reconciled{};

  const auto expiration = api::status_time(*backup, api::field::kExpiration);
  const WallTime now = context_.clock.wall_now();
  if (!expiration) return kube::Reconciled{.again_after = settings_.frequency};
  if (now < *expiration) return kube::Reconciled{.again_after = std::min(settings_.frequency, *expiration - now)};
  // Its deletion would be refused.
  if (context_.running.is_running(api::kBackup, name.name) ||
      api::phase_of<api::BackupPhase>(*backup) == api::BackupPhase::kInProgress) {
    return kube::Reconciled{.again_after = settings_.frequency};
  }
  return collect(*backup, stop);
}

Result<kube::Reconciled> GcReconciler::collect(const Json& backup, const std::stop_token& stop) const {
  const kube::Reconciled later{.again_after = settings_.frequency};
  const auto location = context_.locations.find(json::string_or(backup, {"spec", "storageLocation"}, ""), stop);
  if (!location && location.error().code() == Code::kNotFound) {
    TRY("", set_failure(backup, kLocationNotFound, stop));
    return later;
  }
  if (!location) {
    TRY("", set_failure(backup, kLocationUnreadable, stop));
    return fail("", location.error());
  }
  if (location->view.is_read_only) {
    TRY("", set_failure(backup, kLocationReadOnly, stop));
    return later;
  }
  if (!location->view.is_available)
    return kube::Reconciled{.again_after = std::min(settings_.frequency, kLocationRetry)};
  TRY("", set_failure(backup, "", stop));
  TRY("", request_deletion(backup, stop));
  return later;
}

Status GcReconciler::set_failure(const Json& backup, std::string_view reason, const std::stop_token& stop) const {
  Json changed = backup;
  if (reason.empty()) {
    k8s::remove_label(changed, api::label::kGcFailure);
  } else {
    TRY("", k8s::set_label(changed, api::label::kGcFailure, reason));
  }
  return write_change(context_.objects(api::kBackup), backup, changed, stop);
}

Status GcReconciler::request_deletion(const Json& backup, const std::stop_token& stop) const {
  const k8s::ObjectView view(backup);
  TRY_ASSIGN(const auto requests, "", deletion_requests_of(context_, view.name(), stop));
  if (std::ranges::any_of(requests, is_open_request)) return {};
  TRY("create a deletion request for backup " + std::string(view.name()),
      context_.objects(api::kDeleteBackupRequest).create(deletion_request_for(backup), stop));
  context_.log.info("backup has expired: its deletion is requested", {{"backup", view.name()}});
  return {};
}

}  // namespace landfall::control
