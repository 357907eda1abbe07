#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>

namespace landfall {

using Duration = std::chrono::nanoseconds;
// What a calendar shows; may jump. For timestamps that people or other programs read.
using WallTime = std::chrono::sys_time<Duration>;
// Only ever goes forward. For deadlines, rates and time-outs.
using SteadyTime = std::chrono::time_point<std::chrono::steady_clock, Duration>;

inline constexpr SteadyTime kNever = SteadyTime::max();

// Where time comes from. Nothing outside base/ asks the system for the time or sleeps, so that a test owns both.
// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;

  virtual WallTime wall_now() const = 0;
  virtual SteadyTime now() const = 0;

  // Waits until ready() holds, the deadline passes or a stop is asked for, and returns ready().
  // The lock is held on entry, on return and whenever ready() runs; whoever changes what ready() reads notifies
  // `changed`.
  virtual bool wait_until(std::unique_lock<std::mutex>& lock, std::condition_variable_any& changed,
                          const std::stop_token& stop, SteadyTime deadline, const std::function<bool()>& ready) = 0;

  // Sleeps; returns false when it was stopped before the time was over.
  bool sleep_for(Duration duration, const std::stop_token& stop);

  // The moment `duration` from now; a duration too long to add means never.
  SteadyTime after(Duration duration) const;
};

// The machine's own clock.
Clock& system_clock();

}  // namespace landfall
