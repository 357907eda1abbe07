#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/result.h"

namespace landfall::progress {

// For tests: a subscriber that writes down what it hears and when. It must outlive the publisher. Thread-safe.
template <class T>
class Recorder {
 public:
  struct Heard {
    SteadyTime at;
    T value;
    friend bool operator==(const Heard&, const Heard&) = default;
  };

  explicit Recorder(const Clock& clock) : clock_(clock) {}

  // What happens to a delivery after it has been written down; a failed one is written down as well.
  void then(std::function<Status(const T&, const std::stop_token&)> answer) { answer_ = std::move(answer); }

  auto subscriber() {
    return [this](const T& value, const std::stop_token& stop) -> Status {
      heard_.update([&](std::vector<Heard>& heard) { heard.push_back({.at = clock_.now(), .value = value}); });
      return answer_ ? answer_(value, stop) : Status();
    };
  }

  // Waits in real time for so many deliveries; false if they do not come.
  bool await(std::size_t count) {
    return heard_.wait_until(system_clock(), {}, system_clock().after(std::chrono::seconds(30)),
                             [&](const std::vector<Heard>& heard) { return heard.size() >= count; });
  }

  std::vector<Heard> heard() const { return heard_.copy(); }
  std::vector<T> values() const {
    std::vector<T> values;
    for (const Heard& one : heard_.copy()) {
      values.push_back(one.value);
    }
    return values;
  }

 private:
  const Clock& clock_;
  std::function<Status(const T&, const std::stop_token&)> answer_;
  Monitor<std::vector<Heard>> heard_;
};

}  // namespace landfall::progress
