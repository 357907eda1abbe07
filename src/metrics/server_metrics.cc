#include "metrics/server_metrics.h"

#include <array>

namespace landfall::metrics {
namespace {

constexpr std::array kScheduleCounters = {
    &kBackupAttemptTotal,         &kBackupSuccessTotal,           &kBackupPartialFailureTotal,
    &kBackupFailureTotal,         &kBackupValidationFailureTotal, &kBackupWarningTotal,
    &kBackupDeletionAttemptTotal, &kBackupDeletionSuccessTotal,   &kBackupDeletionFailureTotal,
    &kRestoreAttemptTotal,        &kRestoreSuccessTotal,          &kRestorePartialFailureTotal,
    &kRestoreFailedTotal,         &kRestoreValidationFailedTotal, &kVolumeSnapshotAttemptTotal,
    &kVolumeSnapshotSuccessTotal, &kVolumeSnapshotFailureTotal,   &kCsiSnapshotAttemptTotal,
    &kCsiSnapshotSuccessTotal,    &kCsiSnapshotFailureTotal,
};

constexpr std::array kScheduleGauges = {
    &kBackupTarballSizeBytes, &kBackupLastSuccessfulTimestamp,   &kBackupItemsTotal, &kBackupItemsErrors,
    &kBackupLastStatus,       &kScheduleExpectedIntervalSeconds,
};

}  // namespace

void show_schedule(Metrics& metrics, const std::string& schedule) {
  for (const Counter* counter : kScheduleCounters) metrics.count(*counter, {schedule}, 0);
  metrics.show(kBackupItemsTotal, {schedule}, 0);
  metrics.show(kBackupItemsErrors, {schedule}, 0);
  // As Velero: what has not failed yet is well.
  metrics.show(kBackupLastStatus, {schedule}, 1);
}

void forget_schedule(Metrics& metrics, const std::string& schedule) {
  for (const Counter* counter : kScheduleCounters) metrics.forget(*counter, {schedule});
  for (const Gauge* gauge : kScheduleGauges) metrics.forget(*gauge, {schedule});
  metrics.forget(kBackupDurationSeconds, {schedule});
}

void forget_backup_progress(Metrics& metrics, const std::string& backup) {
  for (const Gauge* gauge :
       {&kBackupProgressItemsDone, &kBackupProgressItemsTotal, &kBackupProgressRate, &kBackupProgressStalled}) {
    metrics.forget(*gauge, {backup});
  }
}

void forget_restore_progress(Metrics& metrics, const std::string& restore) {
  for (const Gauge* gauge :
       {&kRestoreProgressItemsDone, &kRestoreProgressItemsTotal, &kRestoreProgressRate, &kRestoreProgressStalled}) {
    metrics.forget(*gauge, {restore});
  }
}

}  // namespace landfall::metrics
