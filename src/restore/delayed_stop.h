#pragma once

#include <stop_token>
#include <thread>

#include "base/clock.h"

namespace landfall::restore {

// A stop that comes a moment after another one: who has begun something gets that long to end it.
class DelayedStop {
 public:
  DelayedStop(Clock& clock, const std::stop_token& stop, Duration delay);
  ~DelayedStop();
  DelayedStop(const DelayedStop&) = delete;
  DelayedStop& operator=(const DelayedStop&) = delete;

  std::stop_token token() const { return late_.get_token(); }

 private:
  std::stop_source late_;
  std::jthread watch_;
};

}  // namespace landfall::restore
