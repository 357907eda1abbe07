#pragma once

#include <string>

#include "base/clock.h"
#include "progress/progress.h"

namespace landfall::cli {

// What Velero's servers do not say while an operation runs, before terminal::align_tabs(): the step, what is done now,
// how fast, when it will be done, and that nothing moves. Lines with an indent.
std::string pace_lines(const progress::ItemProgress& progress, WallTime now);

}  // namespace landfall::cli
