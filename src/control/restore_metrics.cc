#include "control/restore_metrics.h"

#include <utility>

#include "api/phases.h"
#include "api/status.h"
#include "json/access.h"
#include "json/json.h"
#include "metrics/server_metrics.h"

namespace landfall::control {
namespace {

using api::RestorePhase;

std::string schedule_of_restore(const json::Json& restore) {
  return json::string_or(restore, {"spec", "scheduleName"}, "");
}

bool is_preview(const json::Json& restore) { return json::bool_or(restore, {"spec", "preview"}, false); }

}  // namespace

void count_restore_attempt(metrics::Metrics& metrics, const json::Json& restore) {
  if (!is_preview(restore)) metrics.count(metrics::kRestoreAttemptTotal, {schedule_of_restore(restore)});
}

void count_restore_end(metrics::Metrics& metrics, const json::Json& restore) {
  const auto phase = api::phase_of<RestorePhase>(restore);
  if (is_preview(restore) || !phase) return;
  const std::string schedule = schedule_of_restore(restore);
  switch (*phase) {
    case RestorePhase::kFailedValidation:
      return metrics.count(metrics::kRestoreValidationFailedTotal, {schedule});
    case RestorePhase::kFailed:
      return metrics.count(metrics::kRestoreFailedTotal, {schedule});
    case RestorePhase::kPartiallyFailed:
      return metrics.count(metrics::kRestorePartialFailureTotal, {schedule});
    case RestorePhase::kCompleted:
      return metrics.count(metrics::kRestoreSuccessTotal, {schedule});
    default:
      return;
  }
}

RestoreGauges::RestoreGauges(metrics::Metrics& metrics, std::string restore)
    : metrics_(metrics), restore_(std::move(restore)) {}

RestoreGauges::~RestoreGauges() { metrics::forget_restore_progress(metrics_, restore_); }

void RestoreGauges::show(const progress::ItemProgress& progress) {
  metrics_.set(metrics::kRestoreProgressItemsDone, {restore_}, static_cast<double>(progress.items.done));
  if (progress.items.total) {
    metrics_.set(metrics::kRestoreProgressItemsTotal, {restore_}, static_cast<double>(*progress.items.total));
  }
  if (progress.items_per_minute) {
    metrics_.set(metrics::kRestoreProgressRate, {restore_}, static_cast<double>(*progress.items_per_minute) / 60);
  }
  metrics_.set(metrics::kRestoreProgressStalled, {restore_}, progress.stalled ? 1 : 0);
}

}  // namespace landfall::control
