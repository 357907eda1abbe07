#pragma once

#include <stop_token>
#include <string>

#include "api/phases.h"
#include "control/change.h"
#include "control/context.h"
#include "json/json.h"

namespace landfall::control {

// How a Backup ends that does not get to the end of its way.
struct BackupEnding {
  api::BackupPhase phase = api::BackupPhase::kFailed;
  std::string why;           // status.failureReason
  bool is_canceled = false;  // then there need be no other reason
};

// Writes the last state of a Backup, `after` with the ending, the time and nothing else, and counts it. kConflict is
// for those who have looked at it a while ago.
Status end_backup(const Context& context, const json::Json& before, json::Json after, const BackupEnding& ending,
                  const std::stop_token& stop, IfChanged if_changed = IfChanged::kConflict);

}  // namespace landfall::control
