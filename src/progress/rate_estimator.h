#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/clock.h"

namespace landfall::progress {

// How fast a count grows, and when it will be through: the average over the past in which what is older weighs
// exponentially less. Bursts and short pauses are smoothed; uneven or late observations do not matter, because growth
// is spread over the time since the observation before.
//
// Says nothing rather than something wild. Constant memory. Not thread-safe.
class RateEstimator {
 public:
  struct Options {
    Duration window = std::chrono::seconds(30);      // the age at which an observation weighs a third
    Duration warm_up = std::chrono::seconds(5);      // no rate before this much has been seen …
    int least_growths = 3;                           // … nor before the count has grown this often
    Duration longest = std::chrono::hours(24 * 30);  // a longer estimate is noise
  };
  RateEstimator() = default;
  explicit RateEstimator(const Options& options) : options_(options) {}

  // Forgets the past: another kind of work begins. What is done already says nothing about the rate.
  void restart(SteadyTime now, std::int64_t done);

  // The count at this moment. A count that went down is a restart; a time that did is ignored.
  void observe(SteadyTime now, std::int64_t done);

  // As of the last observation.
  std::optional<double> per_second() const;
  // How long the rest will take: nothing when nothing is left, or when there is no rate to tell it by.
  std::optional<Duration> time_left(std::int64_t rest) const;

 private:
  Options options_{};
  std::optional<SteadyTime> last_time_;
  std::int64_t last_done_ = 0;
  Duration observed_{};
  int growths_ = 0;
  double weighted_rate_ = 0;
  double weight_ = 0;  // goes from 0 to 1: what the window has seen of the time it would like to
};

}  // namespace landfall::progress
