#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "json/json_fwd.h"

namespace landfall::api {

// What a Schedule asks for, and what has become of it. Its template is read_backup_template() in api/backup.h.
struct Schedule {
  std::string cron;  // spec.schedule; not checked here
  bool paused = false;
  bool skip_immediately = false;
  bool use_owner_references = false;
  std::optional<WallTime> last_backup;
  std::optional<WallTime> last_skipped;
};

// kInvalid with all problems (problems_of in api/field_reader.h), each with its path.
Result<Schedule> read_schedule(const json::Json& schedule);

}  // namespace landfall::api
