#pragma once

#include <string_view>

#include "api/names.h"

namespace landfall::cli {

// What users call a kind of object, in commands and in messages.
struct Noun {
  api::Kind kind;
  std::string_view word;    // of the command, and one of them in a sentence: "backup"
  std::string_view plural;  // "backups"
};

inline constexpr Noun kBackups{api::kBackup, "backup", "backups"};
inline constexpr Noun kRestores{api::kRestore, "restore", "restores"};
inline constexpr Noun kSchedules{api::kSchedule, "schedule", "schedules"};
inline constexpr Noun kBackupLocations{api::kBackupStorageLocation, "backup-location", "backup-locations"};
inline constexpr Noun kSnapshotLocations{api::kVolumeSnapshotLocation, "snapshot-location", "snapshot-locations"};
inline constexpr Noun kRepositories{api::kBackupRepository, "repo", "repos"};

}  // namespace landfall::cli
