#include "progress/rate_estimator.h"

#include <cmath>

namespace landfall::progress {
namespace {

using Seconds = std::chrono::duration<double>;

// Observations closer together than this are taken as one: between two calls in a row anything looks infinitely fast.
constexpr Duration kLeastGap = std::chrono::milliseconds(100);

}  // namespace

void RateEstimator::restart(SteadyTime now, std::int64_t done) {
  const Options options = options_;
  *this = RateEstimator(options);
  last_time_ = now;
  last_done_ = done;
}

void RateEstimator::observe(SteadyTime now, std::int64_t done) {
  if (!last_time_ || done < last_done_) {
    restart(now, done);
    return;
  }
  const Duration gap = now - *last_time_;
  if (gap < kLeastGap) {
    return;
  }
  const double seconds = Seconds(gap).count();
  const double fade = std::exp(-seconds / Seconds(options_.window).count());
  const double rate = static_cast<double>(done - last_done_) / seconds;
  weighted_rate_ = weighted_rate_ * fade + rate * (1 - fade);
  weight_ = weight_ * fade + (1 - fade);
  observed_ += gap;
  growths_ += done > last_done_ ? 1 : 0;
  last_time_ = now;
  last_done_ = done;
}

std::optional<double> RateEstimator::per_second() const {
  if (observed_ < options_.warm_up || growths_ < options_.least_growths) {
    return std::nullopt;
  }
  return weighted_rate_ / weight_;
}

std::optional<Duration> RateEstimator::time_left(std::int64_t rest) const {
  const auto rate = per_second();
  if (!rate || *rate <= 0 || rest <= 0) {
    return std::nullopt;
  }
  const Seconds left(static_cast<double>(rest) / *rate);
  if (left > Seconds(options_.longest)) {
    return std::nullopt;
  }
  return std::chrono::duration_cast<Duration>(left);
}

}  // namespace landfall::progress
