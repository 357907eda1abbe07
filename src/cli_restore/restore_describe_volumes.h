#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "cli_restore/restore_describe_text.h"

namespace landfall::cli {

// The phases of pod volume restores in Velero's order; one that is being canceled is not shown.
inline constexpr std::array<std::string_view, 7> kPodVolumeRestorePhases = {
    "Completed", "Canceled", "Failed", "InProgress", "Prepared", "Accepted", "New"};

// What became of volumes: pod volume restores, and restores from CSI snapshots.
std::string volumes_part(const RestoreDescription& description);

// Landfall's own: what plugins tell of the volumes that they make, and have told of the snapshots of the backup.
std::string plugin_volumes_part(const RestoreDescription& description, WallTime now);

}  // namespace landfall::cli
