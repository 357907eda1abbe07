#include "base/manual_clock.h"

#include <iterator>
#include <thread>

namespace landfall {
namespace {

// A waiter looks at the time this often in real time. Waking the waiters from advance() would need their mutexes, in an
// order that could deadlock with their own use of the clock.
constexpr auto kGlance = std::chrono::milliseconds(1);

}  // namespace

ManualClock::ManualClock(WallTime start) : state_(State{.wall = start, .steady = SteadyTime{std::chrono::hours(1)}}) {}

WallTime ManualClock::wall_now() const {
  return state_.with([](const State& s) { return s.wall; });
}

SteadyTime ManualClock::now() const {
  return state_.with([](const State& s) { return s.steady; });
}

bool ManualClock::wait_until(std::unique_lock<std::mutex>& lock, std::condition_variable_any& changed,
                             const std::stop_token& stop, SteadyTime deadline, const std::function<bool()>& ready) {
  if (ready()) {
    return true;  // it never waited
  }
  state_.with([&](State& s) { s.waiting_until.insert(deadline); });
  while (!ready() && !stop.stop_requested() && now() < deadline) {
    changed.wait_for(lock, stop, kGlance, ready);
  }
  state_.with([&](State& s) { s.waiting_until.erase(s.waiting_until.find(deadline)); });
  return ready();
}

void ManualClock::advance(Duration by) {
  state_.with([&](State& s) {
    s.wall += by;
    s.steady += by;
  });
}

void ManualClock::jump_wall(Duration by) {
  state_.with([&](State& s) { s.wall += by; });
}

void ManualClock::await_waiters(int count) const {
  const auto waiters = [&] {
    return state_.with(
        [](const State& s) { return std::distance(s.waiting_until.upper_bound(s.steady), s.waiting_until.end()); });
  };
  while (waiters() < count) {
    std::this_thread::sleep_for(kGlance);
  }
}

}  // namespace landfall
