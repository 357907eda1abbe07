#pragma once

#include <stop_token>
#include <string>

#include "api/phases.h"
#include "control/change.h"
#include "control/context.h"
#include "json/json.h"

namespace landfall::control {

// How a Restore ends.
struct RestoreEnding {
  api::RestorePhase phase = api::RestorePhase::kFailed;
  std::string why;           // status.failureReason
  bool is_canceled = false;  // then there need be no other reason
};

// Writes the last state of a Restore, `after` with the ending and the time, and counts it. kConflict is for those who
// have looked at it a while ago.
Status end_restore(const Context& context, const json::Json& before, json::Json after, const RestoreEnding& ending,
                   const std::stop_token& stop, IfChanged if_changed = IfChanged::kConflict);

}  // namespace landfall::control
