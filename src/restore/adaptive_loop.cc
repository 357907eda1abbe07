#include "restore/adaptive_loop.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <thread>
#include <utility>

#include "base/guarded.h"

namespace landfall::restore {
namespace {

// What the workers of one loop share.
struct Shared {
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> done = 0;
  std::atomic<int> allowed = 1;  // workers with a smaller number go on
  std::stop_source stop;
  struct State {
    int running = 0;
    std::optional<Error> error;  // the first
  };
  Monitor<State> state;
};

void work_on(Shared& shared, int number, std::size_t count, const std::function<Status(std::size_t)>& work) {
  while (!shared.stop.stop_requested() && number < shared.allowed) {
    const std::size_t index = shared.next.fetch_add(1);
    if (index >= count) break;
    Status done = work(index);
    ++shared.done;
    if (done) continue;
    shared.state.update([&](Shared::State& state) {
      if (!state.error) state.error = std::move(done).error();
    });
    shared.stop.request_stop();
  }
  shared.state.update([](Shared::State& state) { --state.running; });
}

}  // namespace

AdaptiveLoop::AdaptiveLoop(Clock& clock, const Options& options)
    : clock_(clock), options_(options), workers_(std::clamp(options.first, 1, std::max(1, options.most))) {}

void AdaptiveLoop::look(double rate) {
  if (rate_before_ > 0) {
    if (rate < rate_before_ * options_.gain) {
      workers_ = std::max(options_.first, workers_ - options_.step);
      resting_ = options_.rest;
    }
    rate_before_ = 0;
    return;  // what comes next is measured with these workers
  }
  if (resting_ > 0) {
    --resting_;
    return;
  }
  if (workers_ >= options_.most) return;
  rate_before_ = rate;
  workers_ = std::min(options_.most, workers_ + options_.step);
}

Status AdaptiveLoop::run(std::size_t count, const std::stop_token& stop,
                         const std::function<Status(std::size_t)>& work) {
  Shared shared;
  const std::stop_callback forward(stop, [&shared] { shared.stop.request_stop(); });
  std::map<int, std::jthread> threads;
  const auto employ = [&] {
    shared.allowed = workers_;
    const std::size_t left = count - std::min(count, shared.next.load());
    for (int number = 0; number < workers_ && static_cast<std::size_t>(number) < left; ++number) {
      if (threads.contains(number)) continue;
      shared.state.update([](Shared::State& state) { ++state.running; });
      threads.emplace(number, std::jthread([&, number] { work_on(shared, number, count, work); }));
    }
  };
  employ();
  std::size_t seen = 0;
  SteadyTime since = clock_.now();
  while (!shared.state.wait_until(clock_, {}, clock_.after(options_.look_every),
                                  [](const Shared::State& state) { return state.running == 0; })) {
    if (shared.next >= count || shared.stop.stop_requested()) continue;  // only the last ones are left
    const SteadyTime now = clock_.now();
    const std::size_t done = shared.done;
    const double seconds = std::chrono::duration<double>(now - since).count();
    const int before = workers_;
    if (seconds > 0 && done > seen) look(static_cast<double>(done - seen) / seconds);
    seen = done;
    since = now;
    // Those that are too many end with their present item; their places are free again then.
    shared.allowed = workers_;
    for (int number = workers_; number < before; ++number) threads.erase(number);
    employ();
  }
  threads.clear();
  if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
  const auto error = shared.state.with([](const Shared::State& state) { return state.error; });
  if (error) return tl::unexpected<Error>(*error);
  return {};
}

}  // namespace landfall::restore
