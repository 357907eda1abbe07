#include "plugin/process_slot.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace landfall::plugin {

Result<std::shared_ptr<PluginProcess>> ProcessSlot::process(const std::stop_token& stop) {
  auto living = state_.with([](const State& state) { return state.process; });
  if (living && !living->has_ended()) return living;
  return start(stop);
}

Result<std::shared_ptr<PluginProcess>> ProcessSlot::start(const std::stop_token& stop) {
  std::shared_ptr<PluginProcess> living;
  std::shared_ptr<PluginProcess> dead;  // let go of outside the lock
  std::vector<FirstCall> first_calls;
  bool gave_up = false;
  bool again = false;
  const bool is_turn = state_.wait_then(
      start_.clock, stop, kNever, [](const State& state) { return !state.is_starting; },
      [&](State& state) {
        if (state.process && !state.process->has_ended()) {
          living = state.process;
        } else if (state.failures >= kMostFailures) {
          gave_up = true;
        } else {
          state.is_starting = true;
          dead = std::exchange(state.process, nullptr);
          first_calls = state.first_calls;
          again = state.had_one;
        }
      });
  if (!is_turn) return fail(Code::kCancelled, "stopped");
  if (living) return living;
  if (gave_up) {
    return fail(Code::kUnavailable, fmt::format("plugin {} could not be started {} times in a row, and is given up",
                                                start_.command, kMostFailures));
  }
  dead.reset();
  auto begun = begin(first_calls, again, stop);
  state_.update([&](State& state) {
    state.is_starting = false;
    if (begun) {
      state.process = *begun;
      state.failures = 0;
      state.had_one = true;
    } else if (begun.error().code() != Code::kCancelled) {
      ++state.failures;
    }
  });
  return begun;
}

Result<std::shared_ptr<PluginProcess>> ProcessSlot::begin(const std::vector<FirstCall>& first_calls, bool again,
                                                          const std::stop_token& stop) const {
  if (again) start_.log.warning("a plugin has ended and is started again", {{"cmd", start_.command}});
  TRY_ASSIGN(auto process, "", PluginProcess::start(start_, stop));
  for (const FirstCall& first : first_calls) TRY("", first(*process, stop));
  return process;
}

Status ProcessSlot::prepare(FirstCall first, const std::stop_token& stop) {
  TRY_ASSIGN(const auto ready, "", process(stop));
  TRY("", first(*ready, stop));
  remember(std::move(first));
  return {};
}

void ProcessSlot::remember(FirstCall first) {
  state_.update([&](State& state) { state.first_calls.push_back(std::move(first)); });
}

}  // namespace landfall::plugin
