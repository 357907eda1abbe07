#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "base/log.h"
#include "control/context.h"
#include "control/restore_files.h"
#include "json/json.h"
#include "operation/item_operation.h"

// The volume information of a restore when all that went on after its run is over.
namespace landfall::control {

// Brings the rows up to date: claims that have been bound since, and what has become of bytes that were still moving.
// True when something has changed. What cannot be read is a warning in the log.
bool settle_volume_rows(const Context& context, const json::Json& restore,
                        const std::vector<operation::ItemOperation>& operations, json::Json& rows, const Logger& log,
                        const std::stop_token& stop);

// The restore is canceled: what was under way has not come to its end. A best effort.
void cancel_volume_rows(RestoreFiles& files, const Logger& log, const std::stop_token& stop);

struct VolumeFailure {
  std::string name_space;
  std::string text;
};
// Those that should have their data and have it not.
std::vector<VolumeFailure> failed_volumes(const json::Json& rows);

}  // namespace landfall::control
