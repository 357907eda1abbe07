#include "progress/pace.h"

namespace landfall::progress {

void Pace::restart(const Moment& now) {
  is_new_ = true;
  stall_.progressed(now);
}

void Pace::progressed(const Moment& now) {
  // After a stall the past would make the rest look endless: begin anew, and say nothing until it is warm.
  is_new_ = is_new_ || stall_.is_stalled(now.steady);
  stall_.progressed(now);
}

Pace::Reading Pace::read(const Moment& now, std::int64_t done, std::optional<std::int64_t> total,
                         std::string_view suspect) {
  if (std::exchange(is_new_, false)) {
    rate_.restart(now.steady, done);
  }
  rate_.observe(now.steady, done);
  Reading reading;
  reading.stalled = stall_.check(now.steady, suspect);
  if (reading.stalled) {
    return reading;
  }
  reading.per_second = rate_.per_second();
  if (const auto left = total ? rate_.time_left(*total - done) : std::nullopt) {
    reading.estimated_completion = std::chrono::ceil<std::chrono::seconds>(now.wall + *left);
  }
  return reading;
}

}  // namespace landfall::progress
