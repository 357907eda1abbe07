#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "api/enum_names.h"

namespace landfall::api {

// What a DownloadRequest can ask for.
enum class DownloadTarget : std::uint8_t {
  kBackupLog,
  kBackupContents,
  kBackupVolumeSnapshots,
  kBackupItemOperations,
  kBackupResourceList,
  kBackupResults,
  kRestoreLog,
  kRestoreResults,
  kRestoreResourceList,
  kRestoreItemOperations,
  kCsiBackupVolumeSnapshots,
  kCsiBackupVolumeSnapshotContents,
  kBackupVolumeInfos,
  kRestoreVolumeInfo,
  // Landfall's own.
  kBackupChecksums,
  kBackupVolumePluginBackups,
  kRestorePlan,
};
template <>
struct EnumNames<DownloadTarget> {
  static constexpr auto kValue = std::to_array<std::string_view>(
      {"BackupLog", "BackupContents", "BackupVolumeSnapshots", "BackupItemOperations", "BackupResourceList",
       "BackupResults", "RestoreLog", "RestoreResults", "RestoreResourceList", "RestoreItemOperations",
       "CSIBackupVolumeSnapshots", "CSIBackupVolumeSnapshotContents", "BackupVolumeInfos", "RestoreVolumeInfo",
       "BackupChecksums", "BackupVolumePluginBackups", "RestorePlan"});
};

}  // namespace landfall::api
