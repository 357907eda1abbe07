#pragma once

#include <optional>
#include <string>
#include <vector>

#include "json/json_fwd.h"

namespace landfall::control {

// Two storage locations that get in each other's way.
struct LocationClash {
  // Using the location would damage the other one; otherwise it is only worth knowing.
  bool is_error = false;
  std::string message;
};

// What stands between a BackupStorageLocation and older ones of the list (itself may be in it): the older one was there
// first and goes on, so that a new location never takes a working one away. Pure.
//
// The same place twice is an error when both are written to: each would take the other's backups for its own, and
// expire them. With one of them read-only it is allowed. A place inside another, of which one at least is written to,
// is an error: the outer one would take it for a backup, or for something that is not Velero's at all.
//
// Places are the same when provider, endpoint (or directory), bucket and prefix are. Two addresses of one server
// cannot be told from two servers.
std::optional<LocationClash> clash_of(const json::Json& location, const std::vector<json::Json>& all);

}  // namespace landfall::control
