#include "progress/stall_detector.h"

#include <utility>

namespace landfall::progress {

void StallDetector::progressed(const Moment& now) {
  last_ = now;
  reason_.clear();
  item_.clear();
}

void StallDetector::blame(std::string reason, std::string item) {
  reason_ = std::move(reason);
  item_ = std::move(item);
}

bool StallDetector::is_stalled(SteadyTime now) const { return last_ && now - last_->steady >= patience_; }

std::optional<Stall> StallDetector::check(SteadyTime now, std::string_view suspect) const {
  if (!is_stalled(now)) {
    return std::nullopt;
  }
  return Stall{.since = last_->wall, .reason = reason_, .item = item_.empty() ? std::string(suspect) : item_};
}

}  // namespace landfall::progress
