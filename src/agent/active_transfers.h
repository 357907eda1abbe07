#pragma once

#include <map>
#include <stop_token>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/guarded.h"

namespace landfall::agent {

// The transfers that this process is at, and those that wait for their turn, by the UIDs of their objects, so that they
// can be cancelled. Backups and restores share the turns: it is the same node that reads, writes and sends.
// Thread-safe.
class ActiveTransfers {
 public:
  // So many at a time.
  explicit ActiveTransfers(int turns) : state_(State{.free_turns = turns}) {}

  // One of them, for as long as it lives.
  class Entry {
   public:
    Entry(ActiveTransfers& all, std::string uid) : all_(all), uid_(std::move(uid)) {
      all_.state_.update([&](State& state) { state.sources.insert_or_assign(uid_, Source{.stop = source_}); });
    }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    ~Entry() {
      all_.state_.update([&](State& state) {
        state.sources.erase(uid_);
        if (has_turn_) ++state.free_turns;
      });
    }

    // Waits until there is a turn, which it keeps to the end of its life; false when a stop was asked for before.
    bool await_turn(Clock& clock, const std::stop_token& stop) {
      has_turn_ = all_.state_.wait_then(
          clock, stop, kNever, [](const State& state) { return state.free_turns > 0; },
          [](State& state) { --state.free_turns; });
      return has_turn_;
    }

    std::stop_token cancelled() const { return source_.get_token(); }
    bool is_cancelled() const { return source_.stop_requested(); }
    // Why it cannot go on; empty when somebody wanted its end.
    std::string failure() const {
      return all_.state_.with([&](const State& state) { return state.sources.at(uid_).failure; });
    }

   private:
    ActiveTransfers& all_;
    const std::string uid_;
    const std::stop_source source_;
    bool has_turn_ = false;
  };

  // False when it is not one of them. With a failure it is no wish of anybody's: it cannot go on.
  bool cancel(const std::string& uid, const std::string& failure = {}) {
    // Whom it wakes may look at this again: not under the lock.
    std::stop_source source(std::nostopstate);
    state_.update([&](State& state) {
      const auto found = state.sources.find(uid);
      if (found == state.sources.end()) return;
      source = found->second.stop;
      if (!source.stop_requested()) found->second.failure = failure;
    });
    if (!source.stop_possible()) return false;
    source.request_stop();
    return true;
  }

  // Whether it runs, or waits for its turn.
  bool has(const std::string& uid) const {
    return state_.with([&](const State& state) { return state.sources.contains(uid); });
  }

 private:
  struct Source {
    std::stop_source stop;
    std::string failure;
  };
  struct State {
    int free_turns = 0;
    std::map<std::string, Source> sources;
  };
  Monitor<State> state_;
};

}  // namespace landfall::agent
