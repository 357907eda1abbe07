#pragma once

#include "base/log.h"
#include "hooks/planned_hook.h"

namespace landfall::hooks {

// A logger whose lines say which hook they are about, in Velero's fields.
Logger logger_of(const PlannedHook& hook, const Logger& log);

}  // namespace landfall::hooks
