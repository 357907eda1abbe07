#include "kube/work_queue.h"

#include <algorithm>
#include <cmath>

namespace landfall::kube {

WorkQueue::WorkQueue(Clock& clock, Random& random, BackoffPolicy retries)
    : clock_(clock), random_(random), retries_(retries) {}

void WorkQueue::put(State& state, const Key& key) {
  if (!state.queued.insert(key).second) {
    return;
  }
  if (!state.working.contains(key)) {
    state.ready.push_back(key);
  }
}

void WorkQueue::put_later(State& state, const Key& key, SteadyTime when) {
  const auto known = state.later.find(key);
  if (known != state.later.end()) {
    if (known->second <= when) {
      return;
    }
    state.schedule.erase({known->second, key});
  }
  state.later[key] = when;
  state.schedule.emplace(when, key);
}

SteadyTime WorkQueue::promote(State& state, SteadyTime now) {
  while (!state.schedule.empty() && state.schedule.begin()->first <= now) {
    const Key key = state.schedule.begin()->second;
    state.schedule.erase(state.schedule.begin());
    state.later.erase(key);
    put(state, key);
  }
  return state.schedule.empty() ? kNever : state.schedule.begin()->first;
}

void WorkQueue::add(const Key& key) {
  state_.update([&](State& state) { put(state, key); });
}

void WorkQueue::add_after(const Key& key, Duration delay) {
  const SteadyTime when = clock_.after(delay);
  state_.update([&](State& state) {
    if (delay <= Duration::zero()) {
      put(state, key);
    } else {
      put_later(state, key, when);
    }
  });
}

void WorkQueue::add_failed(const Key& key) {
  const int failures = state_.update([&](State& state) { return ++state.failures[key]; });
  Backoff backoff(retries_, random_);
  Duration delay{};
  for (int i = 0; i < std::min(failures, 64); ++i) {
    delay = backoff.next();
  }
  add_after(key, delay);
}

void WorkQueue::forget(const Key& key) {
  state_.update([&](State& state) { state.failures.erase(key); });
}

std::optional<WorkQueue::Key> WorkQueue::get(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const SteadyTime next = state_.update([&](State& state) { return promote(state, clock_.now()); });
    std::optional<Key> key;
    state_.wait_then(
        clock_, stop, next,
        // Something ready, or something earlier than what we wait for.
        [&](const State& state) {
          return !state.ready.empty() || (!state.schedule.empty() && state.schedule.begin()->first < next);
        },
        [&](State& state) {
          if (!state.ready.empty()) {
            key = state.ready.front();
            state.ready.pop_front();
            state.queued.erase(*key);
            state.working.insert(*key);
          }
        });
    if (key) {
      return key;
    }
  }
  return std::nullopt;
}

void WorkQueue::done(const Key& key) {
  state_.update([&](State& state) {
    state.working.erase(key);
    if (state.queued.contains(key)) {
      state.ready.push_back(key);
    }
  });
}

std::size_t WorkQueue::size() const {
  const SteadyTime now = clock_.now();
  return state_.with([&](const State& state) {
    const auto due = std::ranges::count_if(state.later, [&](const auto& entry) {
      return entry.second <= now && !state.queued.contains(entry.first) && !state.working.contains(entry.first);
    });
    return state.ready.size() + static_cast<std::size_t>(due);
  });
}

}  // namespace landfall::kube
