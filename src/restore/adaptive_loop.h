#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <stop_token>

#include "base/clock.h"
#include "base/result.h"

namespace landfall::restore {

// How many items are worked on at a time, found out by trying: more workers for as long as more of them get more done,
// and no more than that. A server near by is kept busy by few, and they take less of everybody's time; one that is far
// away takes many. Not thread-safe: one loop at a time.
class AdaptiveLoop {
 public:
  struct Options {
    int first = 24;
    int step = 8;
    int most = 64;
    Duration look_every = std::chrono::milliseconds(500);
    double gain = 1.05;  // what a step has to bring
    int rest = 10;       // looks before a step that brought nothing is tried again
  };
  AdaptiveLoop(Clock& clock, const Options& options);

  // Runs `work` for 0 … count-1, in order of the numbers, and returns when all have ended. The first error stops the
  // others and is returned; kCancelled when the stop was asked for before all were done. What it has learned stays.
  Status run(std::size_t count, const std::stop_token& stop, const std::function<Status(std::size_t index)>& work);

  int workers() const { return workers_; }

 private:
  // `rate`: items a second since the last look, all workers busy.
  void look(double rate);

  Clock& clock_;
  const Options options_;
  int workers_;
  double rate_before_ = 0;  // before the step that is being tried; 0: none is
  int resting_ = 0;
};

}  // namespace landfall::restore
