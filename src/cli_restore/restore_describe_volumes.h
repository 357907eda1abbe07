#pragma once

#include <string>

#include "cli_restore/restore_describe_text.h"

namespace landfall::cli {

// What became of volumes: pod volume restores, and restores from CSI snapshots.
std::string volumes_part(const RestoreDescription& description);

// Landfall's own: volumes that stayed empty because their restore has failed.
std::string without_data_part(const RestoreDescription& description);

}  // namespace landfall::cli
