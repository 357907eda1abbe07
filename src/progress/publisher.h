#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "progress/publisher_core.h"

namespace landfall::progress {

// At most one update a second for each object that shows progress.
inline constexpr Duration kPublishInterval = std::chrono::seconds(1);

// Brings the newest of a row of values to several subscribers: the resource, the metrics, the terminal, the web page.
//
// What each subscriber hears is part of the same row, in its order, without repeats, and ends with the last value:
// - the first value at once, then the newest one at most once per interval, and only if it differs from the one before;
// - a delivery that fails is tried again an interval later with what is newest then. Progress is advisory: the first
//   failure of an outage is logged, nothing else happens;
// - each has a thread of its own, so one that is slow or hangs holds up neither the work nor the others.
//
// Values are pushed by publish(), or, for counts that change all the time, pulled: given a sample function, the first
// value is taken at refresh() and then one whenever a subscriber is due, so that even a value in which only the time
// has changed (rate, estimate, stall) gets through and the work itself never touches the publisher.
//
// Life: subscribe, publish or refresh, close. Destroyed without close(), it drops what has not been delivered.
// The destructor waits for a delivery under way. Thread-safe.
template <class T>
class Publisher {
 public:
  // Runs on the subscriber's thread. Must return soon after a stop is asked for.
  using Deliver = std::function<Status(const T&, const std::stop_token&)>;
  // Runs on any thread, one at a time. Short, no I/O, and must not call the publisher.
  using Sample = std::function<T()>;

  Publisher(Clock& clock, Logger log, Sample sample = {})
      : core_(clock, std::move(log), &Publisher::same, erase(std::move(sample))) {}

  // Never waits for a subscriber. Values published from several threads at once come in no particular order. After
  // close() it does nothing.
  void publish(T value) { core_.publish(std::make_shared<const T>(std::move(value))); }

  // Takes a sample and publishes it: something has happened that is worth showing now, such as a new step.
  void refresh() { core_.refresh(); }

  // The name is for logs and errors: "resource", "metrics". Who comes late starts with the newest value.
  void subscribe(std::string name, Deliver deliver, Duration interval = kPublishInterval) {
    core_.subscribe(std::move(name), interval,
                    [deliver = std::move(deliver)](const void* value, const std::stop_token& stop) {
                      return deliver(*static_cast<const T*>(value), stop);
                    });
  }

  // Waits until every subscriber has the value that is newest now (or a newer one), without regard to intervals.
  // kTimeout names those that have not.
  Status flush(SteadyTime deadline, const std::stop_token& stop) { return core_.flush(deadline, stop); }

  // The last flush: the newest value is the last one, every subscriber gets it once and then nothing more. At the
  // deadline deliveries still under way are asked to stop.
  Status close(SteadyTime deadline, const std::stop_token& stop) { return core_.close(deadline, stop); }

 private:
  static bool same(const void* a, const void* b) { return *static_cast<const T*>(a) == *static_cast<const T*>(b); }

  static PublisherCore::Sample erase(Sample sample) {
    if (!sample) {
      return {};
    }
    return [sample = std::move(sample)] { return std::make_shared<const T>(sample()); };
  }

  PublisherCore core_;
};

}  // namespace landfall::progress
