#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/result.h"

namespace landfall::item_actions {

// Something that is asked of the server once a restore, by whoever needs it first, and then kept.
//
// Of threads that ask meanwhile, all but one wait; no lock is held over the call. An error is kept as well, since the
// client has already tried again; only a stop leaves the call to the next who asks. Thread-safe.
template <class T>
class Lookup {
 public:
  using Found = Result<std::shared_ptr<const T>>;

  // `load` returns a Result<T>. The clock is for waiting on another's call.
  template <class Load>
  Found get(Clock& clock, const std::stop_token& stop, const Load& load) {
    if (auto kept = state_.with([](const State& state) { return state.found; })) return *std::move(kept);
    std::optional<Found> found;
    const bool is_over = state_.wait_then(
        clock, stop, clock.after(kPatience), [](const State& state) { return !state.is_loading; },
        [&](State& state) {
          found = state.found;
          if (!found) state.is_loading = true;
        });
    if (!is_over && stop.stop_requested()) return fail(Code::kCancelled, "stopped");
    if (!is_over) return fail(Code::kTimeout, "another item's look-up did not end");
    if (found) return *std::move(found);

    Found made = shared(load());
    state_.update([&](State& state) {
      state.is_loading = false;
      const bool was_stopped = !made && made.error().code() == Code::kCancelled;
      if (!was_stopped) state.found = made;
    });
    return made;
  }

 private:
  // Longer than any call takes; whoever makes it ends by the client's deadlines.
  static constexpr Duration kPatience = std::chrono::minutes(10);

  struct State {
    bool is_loading = false;
    std::optional<Found> found;
  };

  static Found shared(Result<T> loaded) {
    if (!loaded) return tl::unexpected(std::move(loaded).error());
    return std::make_shared<const T>(*std::move(loaded));
  }

  Monitor<State> state_;
};

// The same for each of several keys, such as namespaces. Thread-safe.
template <class T>
class LookupByKey {
 public:
  template <class Load>
  typename Lookup<T>::Found get(const std::string& key, Clock& clock, const std::stop_token& stop, const Load& load) {
    const std::shared_ptr<Lookup<T>> lookup = lookups_.with([&](auto& lookups) {
      std::shared_ptr<Lookup<T>>& entry = lookups[key];
      if (!entry) entry = std::make_shared<Lookup<T>>();
      return entry;
    });
    return lookup->get(clock, stop, load);
  }

 private:
  Guarded<std::map<std::string, std::shared_ptr<Lookup<T>>>> lookups_;
};

}  // namespace landfall::item_actions
