#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/phases.h"
#include "base/clock.h"
#include "base/result.h"
#include "json/json_fwd.h"

// Reading and writing single fields of `status`, whatever the kind. Each writer touches its own field only, so that all
// that others wrote stays; what would be empty (0, "", an empty list) is removed, as Velero leaves it out. They fail
// only where `status` is something else than an object.
namespace landfall::api {

namespace field {

inline constexpr std::string_view kPhase = "phase";
inline constexpr std::string_view kMessage = "message";
inline constexpr std::string_view kStartTimestamp = "startTimestamp";
inline constexpr std::string_view kCompletionTimestamp = "completionTimestamp";
inline constexpr std::string_view kAcceptedTimestamp = "acceptedTimestamp";
inline constexpr std::string_view kProcessedTimestamp = "processedTimestamp";
inline constexpr std::string_view kExpiration = "expiration";
inline constexpr std::string_view kValidationErrors = "validationErrors";
inline constexpr std::string_view kFailureReason = "failureReason";
inline constexpr std::string_view kWarnings = "warnings";
inline constexpr std::string_view kErrors = "errors";  // a number, but of a DeleteBackupRequest a list of texts
inline constexpr std::string_view kQueuePosition = "queuePosition";
inline constexpr std::string_view kVersion = "version";
inline constexpr std::string_view kFormatVersion = "formatVersion";
inline constexpr std::string_view kLastBackup = "lastBackup";
inline constexpr std::string_view kLastSkipped = "lastSkipped";
inline constexpr std::string_view kLastSyncedTime = "lastSyncedTime";
inline constexpr std::string_view kLastValidationTime = "lastValidationTime";
inline constexpr std::string_view kDownloadUrl = "downloadURL";
inline constexpr std::string_view kServerVersion = "serverVersion";
inline constexpr std::string_view kVolumeSnapshotsAttempted = "volumeSnapshotsAttempted";
inline constexpr std::string_view kVolumeSnapshotsCompleted = "volumeSnapshotsCompleted";
inline constexpr std::string_view kCsiVolumeSnapshotsAttempted = "csiVolumeSnapshotsAttempted";
inline constexpr std::string_view kCsiVolumeSnapshotsCompleted = "csiVolumeSnapshotsCompleted";

}  // namespace field

// Missing, or of another type: empty, 0, nothing.
std::string status_text(const json::Json& object, std::string_view name);
std::int64_t status_count(const json::Json& object, std::string_view name);
std::optional<WallTime> status_time(const json::Json& object, std::string_view name);

Status set_status_text(json::Json& object, std::string_view name, std::string_view value);
Status set_status_count(json::Json& object, std::string_view name, std::int64_t value);
Status set_status_texts(json::Json& object, std::string_view name, const std::vector<std::string>& values);
Status set_status_time(json::Json& object, std::string_view name, std::optional<WallTime> value);

// Nothing for a phase that we do not know: such an object is better left alone.
template <Named P>
std::optional<P> phase_of(const json::Json& object) {
  return parse_phase<P>(status_text(object, field::kPhase));
}
template <Named P>
Status set_phase(json::Json& object, P phase) {
  return set_status_text(object, field::kPhase, to_string(phase));
}

struct OperationCounts {
  std::int64_t attempted = 0;
  std::int64_t completed = 0;
  std::int64_t failed = 0;
};
// backupItemOperationsAttempted … and restoreItemOperationsAttempted …
Status set_backup_operations(json::Json& backup, const OperationCounts& counts);
Status set_restore_operations(json::Json& restore, const OperationCounts& counts);

Status set_hook_status(json::Json& object, std::int64_t attempted, std::int64_t failed);

// spec.cancel of a Backup or Restore.
bool is_cancel_wanted(const json::Json& object);
// A cancelled Backup or Restore is Failed with this reason, for Velero's clients know no phase for it; status.canceled
// tells it from others.
inline constexpr std::string_view kCanceledReason = "canceled";
Status set_canceled(json::Json& object);
bool is_canceled(const json::Json& object);

}  // namespace landfall::api
