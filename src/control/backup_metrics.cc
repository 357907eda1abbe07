#include "control/backup_metrics.h"

#include <chrono>

#include "api/labels.h"
#include "api/phases.h"
#include "api/status.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "metrics/server_metrics.h"

namespace landfall::control {

using api::BackupPhase;

std::string schedule_of(const json::Json& backup) {
  return std::string(k8s::ObjectView(backup).labels().get(std::string(api::label::kScheduleName)).value_or(""));
}

void count_backup_attempt(metrics::Metrics& metrics, const std::string& schedule) {
  metrics.count(metrics::kBackupAttemptTotal, {schedule});
}

void measure_archive(metrics::Metrics& metrics, const std::string& schedule, std::uint64_t bytes) {
  metrics.set(metrics::kBackupTarballSizeBytes, {schedule}, static_cast<double>(bytes));
}

void count_backup_end(metrics::Metrics& metrics, const json::Json& backup) {
  const std::string schedule = schedule_of(backup);
  const auto phase = api::phase_of<BackupPhase>(backup);
  const auto ended = api::status_time(backup, api::field::kCompletionTimestamp);
  const auto started = api::status_time(backup, api::field::kStartTimestamp);
  if (phase == BackupPhase::kFailedValidation) {
    metrics.count(metrics::kBackupValidationFailureTotal, {schedule});
  } else if (phase == BackupPhase::kFailed) {
    metrics.count(metrics::kBackupFailureTotal, {schedule});
  } else if (phase == BackupPhase::kPartiallyFailed) {
    metrics.count(metrics::kBackupPartialFailureTotal, {schedule});
  } else if (phase == BackupPhase::kCompleted) {
    metrics.count(metrics::kBackupSuccessTotal, {schedule});
    if (ended) {
      metrics.set(metrics::kBackupLastSuccessfulTimestamp, {schedule},
                  std::chrono::duration<double>(ended->time_since_epoch()).count());
    }
  }
  metrics.set(metrics::kBackupLastStatus, {schedule}, phase == BackupPhase::kCompleted ? 1 : 0);
  if (started && ended) {
    metrics.observe(metrics::kBackupDurationSeconds, {schedule},
                    std::chrono::duration<double>(*ended - *started).count());
  }
  metrics.set(metrics::kBackupItemsTotal, {schedule},
              static_cast<double>(json::int_or(backup, {"status", "progress", "totalItems"}, 0)));
  metrics.set(metrics::kBackupItemsErrors, {schedule},
              static_cast<double>(api::status_count(backup, api::field::kErrors)));
  if (api::status_count(backup, api::field::kWarnings) > 0) metrics.count(metrics::kBackupWarningTotal, {schedule});
}

ProgressGauges::ProgressGauges(metrics::Metrics& metrics, std::string backup)
    : metrics_(metrics), backup_(std::move(backup)) {}

ProgressGauges::~ProgressGauges() {
  for (const auto* gauge : {&metrics::kBackupProgressItemsDone, &metrics::kBackupProgressItemsTotal,
                            &metrics::kBackupProgressRate, &metrics::kBackupProgressStalled}) {
    metrics_.forget(*gauge, {backup_});
  }
}

void ProgressGauges::show(const progress::ItemProgress& progress) {
  metrics_.set(metrics::kBackupProgressItemsDone, {backup_}, static_cast<double>(progress.items.done));
  if (progress.items.total) {
    metrics_.set(metrics::kBackupProgressItemsTotal, {backup_}, static_cast<double>(*progress.items.total));
  }
  if (progress.items_per_minute) {
    metrics_.set(metrics::kBackupProgressRate, {backup_}, static_cast<double>(*progress.items_per_minute) / 60);
  }
  metrics_.set(metrics::kBackupProgressStalled, {backup_}, progress.stalled ? 1 : 0);
}

}  // namespace landfall::control
