#pragma once

#include <vector>

#include "json/json.h"

namespace landfall::control {

// Puts into the rows of `NAME-volumeinfo.json.gz` which of the VolumePluginBackups tells of a native snapshot, and what
// it says. They are marked as the backup's. Pure.
void set_row_progress(json::Json& rows, const std::vector<json::Json>& resources);

}  // namespace landfall::control
