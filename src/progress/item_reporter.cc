#include "progress/item_reporter.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace landfall::progress {
namespace {

// In the other steps the items stand still, and a rate of theirs would tell nothing.
bool is_about_items(ItemStep step) { return step == ItemStep::kBackingUpItems || step == ItemStep::kRestoringItems; }

std::optional<std::int64_t> per_minute(std::optional<double> per_second) {
  const std::int64_t rounded = std::llround(std::min(per_second.value_or(0) * 60, 1e18));
  return rounded > 0 ? std::optional(rounded) : std::nullopt;
}

}  // namespace

ItemReporter::ItemReporter(Clock& clock, Logger log, const Pace::Options& pace)
    : clock_(clock), state_(State(pace)), publisher_(clock, std::move(log), [this] { return snapshot(); }) {}

void ItemReporter::start() {
  const bool is_first = state_.with([&](State& state) {
    if (std::exchange(state.is_started, true)) return false;
    state.pace.restart(moment(clock_));
    return true;
  });
  if (is_first) publisher_.refresh();
}

void ItemReporter::seen(const ItemId& source) {
  state_.with([&](State& state) {
    state.tracker.seen(source);
    state.pace.progressed(moment(clock_));
  });
}

void ItemReporter::planned(const ItemId& target, const ItemId& source) {
  state_.with([&](State& state) {
    state.tracker.planned(target, source);
    state.pace.progressed(moment(clock_));
  });
}

void ItemReporter::not_selected(const ItemId& source, std::string_view reason) {
  state_.with([&](State& state) {
    state.tracker.not_selected(source, reason);
    state.pace.progressed(moment(clock_));
  });
}

void ItemReporter::added(const ItemId& target, const ItemId& source) {
  state_.with([&](State& state) { state.tracker.added(target, source); });
}

void ItemReporter::collected() {
  const bool is_started = state_.with([&](State& state) {
    state.tracker.collected();
    state.pace.restart(moment(clock_));
    return state.is_started;
  });
  if (is_started) {
    publisher_.refresh();
  }
}

void ItemReporter::step(ItemStep step) {
  const bool is_started = state_.with([&](State& state) {
    state.step = step;
    state.doing.clear();
    state.pace.restart(moment(clock_));
    return state.is_started;
  });
  if (is_started) {
    publisher_.refresh();
  }
}

void ItemReporter::started(const ItemId& target) {
  state_.with([&](State& state) { state.in_flight.start(target); });
}

void ItemReporter::done(const ItemId& target, Outcome outcome) {
  state_.with([&](State& state) {
    state.in_flight.stop(target);
    if (state.tracker.done(target, outcome)) {
      state.pace.progressed(moment(clock_));
    }
  });
}

void ItemReporter::given_up(const ItemId& target) {
  state_.with([&](State& state) { state.in_flight.stop(target); });
}

void ItemReporter::doing(std::string what) {
  state_.with([&](State& state) { state.doing = std::move(what); });
}

void ItemReporter::alive() {
  state_.with([&](State& state) { state.pace.progressed(moment(clock_)); });
}

void ItemReporter::blame(std::string reason, std::string item) {
  state_.with([&](State& state) { state.pace.blame(std::move(reason), std::move(item)); });
}

ItemProgress ItemReporter::snapshot() {
  return state_.with([&](State& state) { return read(state); });
}

Status ItemReporter::finish(SteadyTime deadline, const std::stop_token& stop) {
  state_.with([](State& state) { state.is_finished = true; });
  return publisher_.close(deadline, stop);
}

ItemProgress ItemReporter::read(State& state) const {
  ItemProgress now;
  now.items = state.tracker.counts();
  now.step = state.step;
  if (state.is_finished) {
    return now;
  }
  now.current = state.doing.empty() ? state.in_flight.newest() : state.doing;
  Pace::Reading pace = state.pace.read(moment(clock_), now.items.done, now.items.total, state.in_flight.oldest());
  now.stalled = std::move(pace.stalled);
  if (is_about_items(state.step)) {
    now.items_per_minute = per_minute(pace.per_second);
    now.estimated_completion = pace.estimated_completion;
  }
  return now;
}

}  // namespace landfall::progress
