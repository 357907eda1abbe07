#include "progress/byte_tracker.h"

#include <algorithm>

namespace landfall::progress {

void ByteTracker::total(ByteCount bytes) { total_ = std::max({total_.value_or(ByteCount{}), bytes, ByteCount{}}); }

bool ByteTracker::done(ByteCount so_far) {
  if (so_far <= done_) {
    return false;
  }
  done_ = so_far;
  return true;
}

void ByteTracker::finish(std::optional<ByteCount> exact_total) {
  // What has been shown as done stays done, whatever the exact size.
  const ByteCount shown = counts().done;
  total_ = std::max(exact_total.value_or(total_.value_or(done_)), shown);
  done_ = *total_;
}

ByteCounts ByteTracker::counts() const {
  if (!total_) {
    return {};
  }
  return {.total = total_, .done = std::min(done_, *total_)};
}

}  // namespace landfall::progress
