#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "json/json_fwd.h"

namespace landfall::api {

// A BackupStorageLocation, as controllers see it. How to reach the bucket (config, credential, caCert) is read by
// `location`, which opens it.
struct StorageLocation {
  std::string provider;
  std::string bucket;
  std::string prefix;
  bool is_default = false;
  bool is_read_only = false;  // accessMode; nothing is ReadWrite
  // Nothing or less than 0 is the server's own; 0 is never (sync), or only once (validation).
  std::optional<Duration> sync_period;
  std::optional<Duration> validation_frequency;
  std::optional<WallTime> last_synced;
  std::optional<WallTime> last_validated;
  bool is_available = false;  // status.phase

  // How often it is synced, validated; nothing for never, only once.
  std::optional<Duration> sync_every(Duration servers_own) const;
  std::optional<Duration> validate_every(Duration servers_own) const;
};

// kInvalid with all problems (problems_of in api/field_reader.h), each with its path.
Result<StorageLocation> read_storage_location(const json::Json& location);

}  // namespace landfall::api
