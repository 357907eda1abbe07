#include "plugin_kit/calls.h"

#include <utility>
#include <vector>

namespace landfall::plugin_kit {
namespace {

constexpr Duration kBetweenLooks = std::chrono::milliseconds(200);

}  // namespace

Calls::Calls(Clock& clock) : clock_(clock), watcher_([this](const std::stop_token& stop) { watch(stop); }) {}

Calls::Call::Call(Calls& calls, std::function<bool()> is_cancelled)
    : calls_(calls), is_cancelled_(std::move(is_cancelled)) {
  const bool is_over = calls_.state_.update([this](State& state) {
    state.calls[this] = state.is_over;
    return state.is_over;
  });
  if (is_over) stop_.request_stop();
}

Calls::Call::~Call() {
  calls_.state_.change_quietly([this](State& state) { state.calls.erase(this); });
}

// Under the lock, so that no call ends meanwhile: asking is a look at a flag, and a stop only tells others.
void Calls::watch(const std::stop_token& stop) {
  while (true) {
    state_.wait_until(clock_, stop, kNever, [](const State& state) { return !state.calls.empty(); });
    if (stop.stop_requested()) return;
    std::vector<std::stop_source> stopped;
    state_.change_quietly([&](State& state) {
      for (auto& [call, is_stopped] : state.calls) {
        if (is_stopped || !call->is_cancelled_()) continue;
        is_stopped = true;
        stopped.push_back(call->stop_);
      }
    });
    for (std::stop_source& one : stopped) one.request_stop();
    if (!clock_.sleep_for(kBetweenLooks, stop)) return;
  }
}

void Calls::stop_all() {
  std::vector<std::stop_source> stopped;
  state_.update([&](State& state) {
    state.is_over = true;
    for (auto& [call, is_stopped] : state.calls) {
      is_stopped = true;
      stopped.push_back(call->stop_);
    }
  });
  for (std::stop_source& one : stopped) one.request_stop();
}

}  // namespace landfall::plugin_kit
