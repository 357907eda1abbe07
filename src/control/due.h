#pragma once

#include <optional>

#include "base/clock.h"

namespace landfall::control {

// How long until something is due that happens every so often; nothing left: it is due now. It is due as well when it
// never happened, or when it happened in the future: then the clock was set back since.
inline Duration until_due(std::optional<WallTime> last, Duration every, WallTime now) {
  if (!last || *last > now || now - *last >= every) return Duration::zero();
  return every - (now - *last);
}

}  // namespace landfall::control
