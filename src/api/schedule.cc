#include "api/schedule.h"

#include "api/field_reader.h"

namespace landfall::api {

Result<Schedule> read_schedule(const json::Json& schedule) {
  std::vector<std::string> problems;
  FieldReader spec(schedule, {"spec"}, problems);
  FieldReader status(schedule, {"status"}, problems);
  Schedule result{.cron = spec.text("schedule"),
                  .paused = spec.flag("paused"),
                  .skip_immediately = spec.flag("skipImmediately"),
                  .use_owner_references = spec.flag("useOwnerReferencesInBackup"),
                  .last_backup = status.time("lastBackup"),
                  .last_skipped = status.time("lastSkipped")};
  TRY("", no_problems(std::move(problems)));
  return result;
}

}  // namespace landfall::api
