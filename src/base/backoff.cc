#include "base/backoff.h"

#include <algorithm>
#include <cmath>

namespace landfall {

Duration Backoff::next() {
  const auto cap = static_cast<double>(policy_.cap.count());
  // pow() may reach infinity, which the cap then bounds.
  const double grown = static_cast<double>(policy_.first.count()) * std::pow(policy_.factor, attempts_);
  const double delay = std::clamp(grown, 0.0, std::max(cap, 0.0));
  ++attempts_;
  const double share = 1.0 - std::clamp(policy_.jitter, 0.0, 1.0) * random_->unit();
  return Duration(static_cast<std::int64_t>(delay * share));
}

}  // namespace landfall
