#include "progress/byte_reporter.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace landfall::progress {
namespace {

std::optional<ByteCount> per_second(std::optional<double> rate) {
  const std::int64_t rounded = std::llround(std::min(rate.value_or(0), 1e18));
  return rounded > 0 ? std::optional(ByteCount(rounded)) : std::nullopt;
}

}  // namespace

ByteReporter::ByteReporter(Clock& clock, Logger log, const Pace::Options& pace)
    : clock_(clock), state_(State(pace)), publisher_(clock, std::move(log), [this] { return snapshot(); }) {}

void ByteReporter::start() {
  state_.with([&](State& state) {
    state.is_started = true;
    state.pace.restart(moment(clock_));
  });
  publisher_.refresh();
}

void ByteReporter::total(ByteCount bytes) {
  const bool is_news = state_.with([&](State& state) {
    state.tracker.total(bytes);
    if (state.step != ByteStep::kScanning) {
      return false;
    }
    enter(state, ByteStep::kTransferring);
    return state.is_started;
  });
  if (is_news) {
    publisher_.refresh();
  }
}

void ByteReporter::done(ByteCount so_far) {
  state_.with([&](State& state) {
    if (state.tracker.done(so_far)) {
      state.pace.progressed(moment(clock_));
    }
  });
}

void ByteReporter::finishing() {
  const bool is_started = state_.with([&](State& state) {
    enter(state, ByteStep::kFinishing);
    return state.is_started;
  });
  if (is_started) {
    publisher_.refresh();
  }
}

void ByteReporter::doing(std::string what) {
  state_.with([&](State& state) { state.doing = std::move(what); });
}

void ByteReporter::alive() {
  state_.with([&](State& state) { state.pace.progressed(moment(clock_)); });
}

void ByteReporter::blame(std::string reason, std::string item) {
  state_.with([&](State& state) { state.pace.blame(std::move(reason), std::move(item)); });
}

ByteProgress ByteReporter::snapshot() {
  return state_.with([&](State& state) { return read(state); });
}

Status ByteReporter::finish(std::optional<ByteCount> exact_total, SteadyTime deadline, const std::stop_token& stop) {
  state_.with([&](State& state) {
    state.tracker.finish(exact_total);
    state.step = ByteStep::kFinishing;
    state.is_ended = true;
  });
  return publisher_.close(deadline, stop);
}

Status ByteReporter::abandon(SteadyTime deadline, const std::stop_token& stop) {
  state_.with([](State& state) { state.is_ended = true; });
  return publisher_.close(deadline, stop);
}

void ByteReporter::enter(State& state, ByteStep step) const {
  state.step = step;
  state.doing.clear();
  state.pace.restart(moment(clock_));
}

ByteProgress ByteReporter::read(State& state) const {
  ByteProgress now;
  now.bytes = state.tracker.counts();
  now.step = state.step;
  if (state.is_ended) {
    return now;
  }
  now.current = state.doing;
  const auto total = now.bytes.total ? std::optional(now.bytes.total->count()) : std::nullopt;
  Pace::Reading pace = state.pace.read(moment(clock_), now.bytes.done.count(), total, state.doing);
  now.stalled = std::move(pace.stalled);
  if (state.step == ByteStep::kTransferring) {
    now.bytes_per_second = per_second(pace.per_second);
    now.estimated_completion = pace.estimated_completion;
  }
  return now;
}

}  // namespace landfall::progress
