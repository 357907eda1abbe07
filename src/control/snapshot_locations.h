#pragma once

#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "control/context.h"

namespace landfall::control {

// The VolumeSnapshotLocations of a backup: at most one for each provider.
struct SnapshotLocations {
  std::vector<std::string> names;
  std::vector<std::string> problems;
};

// Those that a Backup names, and for every other provider that has locations the only one, or the server's default.
Result<SnapshotLocations> choose_snapshot_locations(const Context& context, const std::vector<std::string>& named,
                                                    const std::map<std::string, std::string>& defaults,
                                                    const std::stop_token& stop);

}  // namespace landfall::control
