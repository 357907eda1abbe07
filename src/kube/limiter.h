#pragma once

#include <stop_token>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/result.h"

namespace landfall::kube {

// At most so many calls per second, with bursts. A limit of 0 lets everything pass. Thread-safe, first come first
// served.
class RateLimiter {
 public:
  RateLimiter(double per_second, int burst, Clock& clock);
  // Waits for a turn.
  Status acquire(SteadyTime deadline, const std::stop_token& stop);

 private:
  const Duration step_;    // between two turns; zero means no limit
  const Duration credit_;  // what nobody used for so long may be used at once: the burst
  Clock& clock_;
  Guarded<SteadyTime> last_;  // the last turn that is taken; turns are booked ahead of time
};

// How many calls may be under way: as many as the server serves without pushing back. Starts at the most; a 429 or a
// failing server halves it, success gives back one at a time. Thread-safe.
class ConcurrencyLimiter {
 public:
  ConcurrencyLimiter(int most, Clock& clock);

  // A place among the calls under way, given back when it goes.
  class Place {
   public:
    explicit Place(ConcurrencyLimiter* limiter) : limiter_(limiter) {}
    Place(Place&& other) noexcept : limiter_(std::exchange(other.limiter_, nullptr)) {}
    Place& operator=(Place&&) = delete;
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place();

   private:
    ConcurrencyLimiter* limiter_;
  };
  Result<Place> acquire(SteadyTime deadline, const std::stop_token& stop);

  void succeeded();
  // The server pushed back. Halves the limit, but only once for the calls that were under way together.
  void pushed_back();

  int limit() const;

 private:
  struct State {
    double limit = 1;
    int under_way = 0;
    SteadyTime lowered_at;
  };
  const int most_;
  Clock& clock_;
  Monitor<State> state_;
};

}  // namespace landfall::kube
