#pragma once

#include <set>

#include "base/clock.h"
#include "base/guarded.h"

namespace landfall {

// A clock for tests: time stands still until advance() moves it. Waits that end by time end only by advance().
// Thread-safe.
class ManualClock final : public Clock {
 public:
  // Starts at 2030-01-01T00:00:00Z unless told otherwise.
  explicit ManualClock(WallTime start = std::chrono::sys_days{std::chrono::year{2030} / 1 / 1});

  WallTime wall_now() const override;
  SteadyTime now() const override;
  bool wait_until(std::unique_lock<std::mutex>& lock, std::condition_variable_any& changed, const std::stop_token& stop,
                  SteadyTime deadline, const std::function<bool()>& ready) override;

  // Moves both times forward.
  void advance(Duration by);
  // Moves the calendar alone, as an administrator or a time server does.
  void jump_wall(Duration by);

  // Blocks until at least `count` threads wait on this clock for a moment that is still to come, so that a test can
  // advance it knowing that they will see it. Those whose time has come and who have not woken yet do not count.
  void await_waiters(int count) const;

 private:
  struct State {
    WallTime wall;
    SteadyTime steady;
    std::multiset<SteadyTime> waiting_until;
  };
  Guarded<State> state_;
};

}  // namespace landfall
