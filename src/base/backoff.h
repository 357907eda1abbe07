#pragma once

#include "base/clock.h"
#include "base/random.h"

namespace landfall {

// How long to wait before trying again.
struct BackoffPolicy {
  Duration first = std::chrono::milliseconds(500);
  Duration cap = std::chrono::seconds(30);
  double factor = 2.0;
  // The share of a delay that is left to chance, 0 to 1: 0.5 waits between half of it and all of it. It keeps clients
  // that failed together from coming back together.
  double jitter = 0.5;
};

// The delays of one operation's retries: first, first × factor … up to the cap, each with jitter. It only counts; the
// caller waits, on its Clock. Not thread-safe; the Random must outlive it.
class Backoff {
 public:
  Backoff(const BackoffPolicy& policy, Random& random) : policy_(policy), random_(&random) {}

  // The delay to wait now. Never longer than the cap, never negative.
  Duration next();
  // After a success: the next delay is the first again.
  void reset() { attempts_ = 0; }

  // How many delays were handed out since the start or the last reset.
  int attempts() const { return attempts_; }

 private:
  BackoffPolicy policy_;
  Random* random_;
  int attempts_ = 0;
};

}  // namespace landfall
