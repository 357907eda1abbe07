#include "base/clock.h"

namespace landfall {
namespace {

class SystemClock final : public Clock {
 public:
  WallTime wall_now() const override { return std::chrono::system_clock::now(); }
  SteadyTime now() const override { return std::chrono::steady_clock::now(); }

  bool wait_until(std::unique_lock<std::mutex>& lock, std::condition_variable_any& changed, const std::stop_token& stop,
                  SteadyTime deadline, const std::function<bool()>& ready) override {
    if (deadline == kNever) {
      return changed.wait(lock, stop, ready);
    }
    return changed.wait_until(lock, stop, deadline, ready);
  }
};

}  // namespace

bool Clock::sleep_for(Duration duration, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  wait_until(lock, never, stop, after(duration), [] { return false; });
  return !stop.stop_requested();
}

SteadyTime Clock::after(Duration duration) const {
  const SteadyTime start = now();
  return duration > kNever - start ? kNever : start + duration;
}

Clock& system_clock() {
  static SystemClock clock;
  return clock;
}

}  // namespace landfall
