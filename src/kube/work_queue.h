#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <stop_token>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/guarded.h"
#include "base/random.h"
#include "k8s/object_ref.h"

namespace landfall::kube {

// Names waiting to be worked on. A name is in it once however often it is added, is never handed to two workers at
// once, and one that is added while it is being worked on comes again afterwards. Thread-safe.
class WorkQueue {
 public:
  using Key = k8s::NamespacedName;

  // `retries` paces add_failed().
  WorkQueue(Clock& clock, Random& random,
            BackoffPolicy retries = {.first = std::chrono::milliseconds(5), .cap = std::chrono::seconds(1000)});

  void add(const Key& key);
  // The earliest time wins when a key is added so several times.
  void add_after(const Key& key, Duration delay);
  // After a failure: with a delay that grows with each failure of this key, until forget().
  void add_failed(const Key& key);
  void forget(const Key& key);

  // The next name, or nothing when a stop is asked for. Every name got is given back by done().
  std::optional<Key> get(const std::stop_token& stop);
  void done(const Key& key);

  std::size_t size() const;  // ready now

 private:
  struct State {
    std::deque<Key> ready;
    std::set<Key> queued;  // those in `ready`, and those that wait for done()
    std::set<Key> working;
    std::map<Key, SteadyTime> later;
    std::set<std::pair<SteadyTime, Key>> schedule;  // `later`, by time
    std::map<Key, int> failures;
  };
  static void put(State& state, const Key& key);
  void put_later(State& state, const Key& key, SteadyTime when);
  // Moves what is due over; the time of the next one that is not.
  SteadyTime promote(State& state, SteadyTime now);

  Clock& clock_;
  Random& random_;
  const BackoffPolicy retries_;
  Monitor<State> state_;
};

}  // namespace landfall::kube
