#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "api/enum_names.h"

// The phases of each kind: enums, their names, and the other way. The schemas' lists are made from the same tables.
namespace landfall::api {

enum class BackupPhase : std::uint8_t {
  kNew,
  kQueued,        // has a place in the queue: status.queuePosition
  kReadyToStart,  // its turn
  kFailedValidation,
  kInProgress,
  kWaitingForPluginOperations,
  kWaitingForPluginOperationsPartiallyFailed,
  kFinalizing,
  kFinalizingPartiallyFailed,
  kCompleted,
  kPartiallyFailed,
  kFailed,
  kDeleting,
};
template <>
struct EnumNames<BackupPhase> {
  static constexpr auto kValue = std::to_array<std::string_view>(
      {"New", "Queued", "ReadyToStart", "FailedValidation", "InProgress", "WaitingForPluginOperations",
       "WaitingForPluginOperationsPartiallyFailed", "Finalizing", "FinalizingPartiallyFailed", "Completed",
       "PartiallyFailed", "Failed", "Deleting"});
};

enum class RestorePhase : std::uint8_t {
  kNew,
  kFailedValidation,
  kInProgress,
  kWaitingForPluginOperations,
  kWaitingForPluginOperationsPartiallyFailed,
  kFinalizing,
  kFinalizingPartiallyFailed,
  kCompleted,
  kPartiallyFailed,
  kFailed,
};
template <>
struct EnumNames<RestorePhase> {
  static constexpr auto kValue =
      std::to_array<std::string_view>({"New", "FailedValidation", "InProgress", "WaitingForPluginOperations",
                                       "WaitingForPluginOperationsPartiallyFailed", "Finalizing",
                                       "FinalizingPartiallyFailed", "Completed", "PartiallyFailed", "Failed"});
};

enum class SchedulePhase : std::uint8_t { kNew, kEnabled, kFailedValidation };
template <>
struct EnumNames<SchedulePhase> {
  static constexpr auto kValue = std::to_array<std::string_view>({"New", "Enabled", "FailedValidation"});
};

// Of backup storage locations and volume snapshot locations.
enum class LocationPhase : std::uint8_t { kAvailable, kUnavailable };
template <>
struct EnumNames<LocationPhase> {
  static constexpr auto kValue = std::to_array<std::string_view>({"Available", "Unavailable"});
};

enum class DeletionPhase : std::uint8_t { kNew, kInProgress, kProcessed };
template <>
struct EnumNames<DeletionPhase> {
  static constexpr auto kValue = std::to_array<std::string_view>({"New", "InProgress", "Processed"});
};

// Of DownloadRequests and ServerStatusRequests.
enum class RequestPhase : std::uint8_t { kNew, kProcessed };
template <>
struct EnumNames<RequestPhase> {
  static constexpr auto kValue = std::to_array<std::string_view>({"New", "Processed"});
};

enum class RepositoryPhase : std::uint8_t { kNew, kReady, kNotReady };
template <>
struct EnumNames<RepositoryPhase> {
  static constexpr auto kValue = std::to_array<std::string_view>({"New", "Ready", "NotReady"});
};

// Of PodVolumeBackups and -Restores, DataUploads and DataDownloads.
enum class TransferPhase : std::uint8_t {
  kNew,
  kAccepted,  // a node agent has taken it
  kPrepared,  // the volume can be read or written
  kInProgress,
  kCanceling,
  kCanceled,
  kCompleted,
  kFailed,
};
template <>
struct EnumNames<TransferPhase> {
  static constexpr auto kValue = std::to_array<std::string_view>(
      {"New", "Accepted", "Prepared", "InProgress", "Canceling", "Canceled", "Completed", "Failed"});
};

// Of VolumePluginBackups and -Restores. Plugins write them and may use words of their own: those are shown as they are.
enum class VolumePluginPhase : std::uint8_t { kNew, kInProgress, kCompleted, kFailed, kCanceled };
template <>
struct EnumNames<VolumePluginPhase> {
  static constexpr auto kValue =
      std::to_array<std::string_view>({"New", "InProgress", "Completed", "Failed", "Canceled"});
};

// An object that nobody has looked at yet has no phase: for kinds that start as New, that is what an empty name means.
// Nothing for a name that is not in the table.
template <Named P>
constexpr std::optional<P> parse_phase(std::string_view name) {
  if (name.empty() && EnumNames<P>::kValue[0] == "New") return P{};
  return parse_name<P>(name);
}

// Nothing more happens by itself. Velero's clients wait for these four of a Backup or Restore and for no others.
constexpr bool is_final(BackupPhase phase) {
  using enum BackupPhase;
  return phase == kFailedValidation || phase == kCompleted || phase == kPartiallyFailed || phase == kFailed;
}
constexpr bool is_final(RestorePhase phase) {
  using enum RestorePhase;
  return phase == kFailedValidation || phase == kCompleted || phase == kPartiallyFailed || phase == kFailed;
}
constexpr bool is_final(TransferPhase phase) {
  using enum TransferPhase;
  return phase == kCanceled || phase == kCompleted || phase == kFailed;
}
constexpr bool is_final(VolumePluginPhase phase) {
  using enum VolumePluginPhase;
  return phase == kCompleted || phase == kFailed || phase == kCanceled;
}

}  // namespace landfall::api
