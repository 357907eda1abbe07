#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "progress/rate_estimator.h"
#include "progress/stall_detector.h"

namespace landfall::progress {

// The part of progress that depends on time, for items and for bytes alike: how fast, how long still, or not at all.
// Not thread-safe.
class Pace {
 public:
  struct Options {
    RateEstimator::Options rate;
    Duration patience = kStallPatience;
  };
  struct Reading {
    std::optional<double> per_second;
    std::optional<WallTime> estimated_completion;
    std::optional<Stall> stalled;
  };

  explicit Pace(const Options& options) : rate_(options.rate), stall_(options.patience) {}

  // Another kind of work begins. What is done by the next reading says nothing about its rate.
  void restart(const Moment& now);
  // Something moved.
  void progressed(const Moment& now);
  void blame(std::string reason, std::string item) { stall_.blame(std::move(reason), std::move(item)); }

  // While it is stalled there is neither a rate nor an estimate: both would be about the past.
  Reading read(const Moment& now, std::int64_t done, std::optional<std::int64_t> total, std::string_view suspect);

 private:
  RateEstimator rate_;
  StallDetector stall_;
  bool is_new_ = true;  // the rate begins at the next reading
};

}  // namespace landfall::progress
