#include "base/backoff.h"

#include <algorithm>
#include <cmath>

namespace landfall {

Duration Backoff::next() {
  const Duration cap = std::max(policy_.cap, Duration(0));
  // It may grow to infinity, so it is compared before it becomes a duration.
  const double grown = static_cast<double>(policy_.first.count()) * std::pow(policy_.factor, attempts_);
  const bool capped = grown >= static_cast<double>(cap.count());
  const Duration delay = capped ? cap : Duration(static_cast<std::int64_t>(std::max(grown, 0.0)));
  ++attempts_;
  const double share = std::clamp(policy_.jitter, 0.0, 1.0) * random_->unit();
  return delay - Duration(static_cast<std::int64_t>(static_cast<double>(delay.count()) * share));
}

}  // namespace landfall
