#pragma once

#include <array>
#include <string>

#include "metrics/metrics.h"

// The metrics of `landfall server`. Those called velero_… have the names, kinds, labels and buckets of Velero, so that
// existing dashboards and alerts go on working; `schedule` is empty for backups that no schedule has made.
namespace landfall::metrics {

inline constexpr LabelNames kBySchedule = {"schedule"};
inline constexpr LabelNames kByScheduleAndBackup = {"schedule", "backupName"};
inline constexpr LabelNames kByLocation = {"backup_location_name"};
inline constexpr LabelNames kByRepository = {"repository_name"};
inline constexpr LabelNames kByBackup = {"backup"};
inline constexpr LabelNames kByRestore = {"restore"};
inline constexpr LabelNames kByController = {"controller"};

// A minute to four hours.
inline constexpr std::array<double, 9> kDurations = {60, 300, 600, 900, 1800, 3600, 7200, 10800, 14400};

// Backups.
inline constexpr Gauge kBackupTotal = {"velero_backup_total", "Backups that exist now"};
inline constexpr Gauge kBackupTarballSizeBytes = {"velero_backup_tarball_size_bytes",
                                                  "Bytes in the archive of the latest backup", kBySchedule};
inline constexpr Gauge kBackupLastSuccessfulTimestamp = {
    "velero_backup_last_successful_timestamp", "When a backup last completed, in seconds since 1970", kBySchedule};
inline constexpr Counter kBackupAttemptTotal = {"velero_backup_attempt_total", "Backups begun", kBySchedule};
inline constexpr Counter kBackupSuccessTotal = {"velero_backup_success_total", "Backups that completed", kBySchedule};
inline constexpr Counter kBackupPartialFailureTotal = {"velero_backup_partial_failure_total",
                                                       "Backups that ended with errors in some items", kBySchedule};
inline constexpr Counter kBackupFailureTotal = {"velero_backup_failure_total", "Backups that failed", kBySchedule};
inline constexpr Counter kBackupValidationFailureTotal = {"velero_backup_validation_failure_total",
                                                          "Backups refused because of what they ask for", kBySchedule};
inline constexpr Histogram kBackupDurationSeconds = {"velero_backup_duration_seconds", "Seconds that backups took",
                                                     kBySchedule, kDurations};
inline constexpr Gauge kBackupItemsTotal = {"velero_backup_items_total", "Items in the latest backup", kBySchedule};
inline constexpr Gauge kBackupItemsErrors = {"velero_backup_items_errors", "Errors of the latest backup", kBySchedule};
inline constexpr Counter kBackupWarningTotal = {"velero_backup_warning_total", "Backups that ended with warnings",
                                                kBySchedule};
inline constexpr Gauge kBackupLastStatus = {"velero_backup_last_status",
                                            "1 when the latest backup completed, 0 when it did not", kBySchedule};
inline constexpr Counter kBackupDeletionAttemptTotal = {"velero_backup_deletion_attempt_total",
                                                        "Deletions of backups begun", kBySchedule};
inline constexpr Counter kBackupDeletionSuccessTotal = {"velero_backup_deletion_success_total",
                                                        "Deletions of backups that were done", kBySchedule};
inline constexpr Counter kBackupDeletionFailureTotal = {"velero_backup_deletion_failure_total",
                                                        "Deletions of backups that failed", kBySchedule};
inline constexpr Gauge kScheduleExpectedIntervalSeconds = {"velero_schedule_expected_interval_seconds",
                                                           "Seconds between two runs of a schedule", kBySchedule};

// Restores.
inline constexpr Gauge kRestoreTotal = {"velero_restore_total", "Restores that exist now"};
inline constexpr Counter kRestoreAttemptTotal = {"velero_restore_attempt_total", "Restores begun", kBySchedule};
inline constexpr Counter kRestoreSuccessTotal = {"velero_restore_success_total", "Restores that completed",
                                                 kBySchedule};
inline constexpr Counter kRestorePartialFailureTotal = {"velero_restore_partial_failure_total",
                                                        "Restores that ended with errors in some items", kBySchedule};
inline constexpr Counter kRestoreFailedTotal = {"velero_restore_failed_total", "Restores that failed", kBySchedule};
inline constexpr Counter kRestoreValidationFailedTotal = {"velero_restore_validation_failed_total",
                                                          "Restores refused because of what they ask for", kBySchedule};

// Volumes.
inline constexpr Counter kVolumeSnapshotAttemptTotal = {"velero_volume_snapshot_attempt_total",
                                                        "Volume snapshots begun", kBySchedule};
inline constexpr Counter kVolumeSnapshotSuccessTotal = {"velero_volume_snapshot_success_total",
                                                        "Volume snapshots taken", kBySchedule};
inline constexpr Counter kVolumeSnapshotFailureTotal = {"velero_volume_snapshot_failure_total",
                                                        "Volume snapshots that failed", kBySchedule};
inline constexpr Counter kCsiSnapshotAttemptTotal = {"velero_csi_snapshot_attempt_total", "CSI snapshots begun",
                                                     kByScheduleAndBackup};
inline constexpr Counter kCsiSnapshotSuccessTotal = {"velero_csi_snapshot_success_total", "CSI snapshots taken",
                                                     kByScheduleAndBackup};
inline constexpr Counter kCsiSnapshotFailureTotal = {"velero_csi_snapshot_failure_total", "CSI snapshots that failed",
                                                     kByScheduleAndBackup};

// Locations and repositories.
inline constexpr Gauge kBackupLocationStatusGauge = {
    "velero_backup_location_status_gauge", "1 when the location can be reached, 0 when it cannot", kByLocation};
inline constexpr Counter kRepoMaintenanceSuccessTotal = {
    "velero_repo_maintenance_success_total", "Maintenance runs of repositories that were done", kByRepository};
inline constexpr Counter kRepoMaintenanceFailureTotal = {"velero_repo_maintenance_failure_total",
                                                         "Maintenance runs of repositories that failed", kByRepository};
inline constexpr Histogram kRepoMaintenanceDurationSeconds = {"velero_repo_maintenance_duration_seconds",
                                                              "Seconds that maintenance of repositories took",
                                                              kByRepository, kDurations};

// What runs right now: Velero has nothing of the kind. A series lives as long as its operation runs, so there are no
// more of them than operations run at a time.
inline constexpr Gauge kBackupProgressItemsDone = {"landfall_backup_progress_items_done",
                                                   "Items that the running backup has done", kByBackup};
inline constexpr Gauge kBackupProgressItemsTotal = {"landfall_backup_progress_items_total",
                                                    "Items that the running backup has in all", kByBackup};
inline constexpr Gauge kBackupProgressRate = {"landfall_backup_progress_rate",
                                              "Items that the running backup does in a second", kByBackup};
inline constexpr Gauge kBackupProgressStalled = {
    "landfall_backup_progress_stalled", "1 while the running backup does not move, 0 while it does", kByBackup};
inline constexpr Gauge kRestoreProgressItemsDone = {"landfall_restore_progress_items_done",
                                                    "Items that the running restore has done", kByRestore};
inline constexpr Gauge kRestoreProgressItemsTotal = {"landfall_restore_progress_items_total",
                                                     "Items that the running restore has in all", kByRestore};
inline constexpr Gauge kRestoreProgressRate = {"landfall_restore_progress_rate",
                                               "Items that the running restore does in a second", kByRestore};
inline constexpr Gauge kRestoreProgressStalled = {
    "landfall_restore_progress_stalled", "1 while the running restore does not move, 0 while it does", kByRestore};

// The server itself.
inline constexpr Gauge kLeader = {"landfall_leader", "1 when this replica holds the lease and does the work"};
inline constexpr Counter kReconcileErrorsTotal = {"landfall_reconcile_errors_total",
                                                  "Times that a controller could not do its work", kByController};

// Makes the counters of a schedule appear, at 0, so that the first failure is a step that an alert sees; nothing when
// they are there. The empty name is for backups without a schedule.
void show_schedule(Metrics& metrics, const std::string& schedule);
// The same taken away, of a schedule that is gone.
void forget_schedule(Metrics& metrics, const std::string& schedule);

// The gauges of a backup or restore that has ended taken away.
void forget_backup_progress(Metrics& metrics, const std::string& backup);
void forget_restore_progress(Metrics& metrics, const std::string& restore);

}  // namespace landfall::metrics
