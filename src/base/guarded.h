#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <utility>

#include "base/clock.h"

namespace landfall {

// A value that can only be reached under its lock. Keep what runs inside short: never I/O.
template <class T>
class Guarded {
 public:
  Guarded() = default;
  explicit Guarded(T value) : value_(std::move(value)) {}

  // Runs f on the value and returns what f returns (by value: a reference would escape the lock).
  template <class F>
  auto with(F&& f) {
    const std::scoped_lock lock(mutex_);
    return std::forward<F>(f)(value_);
  }
  template <class F>
  auto with(F&& f) const {
    const std::scoped_lock lock(mutex_);
    return std::forward<F>(f)(std::as_const(value_));
  }

  T copy() const {
    return with([](const T& value) { return value; });
  }

 private:
  mutable std::mutex mutex_;
  T value_{};
};

// A guarded value whose changes can be waited for.
template <class T>
class Monitor {
 public:
  Monitor() = default;
  explicit Monitor(T value) : value_(std::move(value)) {}

  // Runs f on the value, wakes whoever waits, and returns what f returns.
  template <class F>
  auto update(F&& f) {
    const std::scoped_lock lock(mutex_);
    changed_.notify_all();  // nobody can look before the lock is free
    return std::forward<F>(f)(value_);
  }

  // The same for a change that nobody can be waiting for: wakes nobody.
  template <class F>
  auto change_quietly(F&& f) {
    const std::scoped_lock lock(mutex_);
    return std::forward<F>(f)(value_);
  }

  template <class F>
  auto with(F&& f) const {
    const std::scoped_lock lock(mutex_);
    return std::forward<F>(f)(std::as_const(value_));
  }

  T copy() const {
    return with([](const T& value) { return value; });
  }

  // Waits until ready(value) holds; false when the deadline passed or a stop was asked for first.
  template <class Ready>
  bool wait_until(Clock& clock, const std::stop_token& stop, SteadyTime deadline, const Ready& ready) {
    std::unique_lock lock(mutex_);
    return clock.wait_until(lock, changed_, stop, deadline, [&] { return bool{ready(std::as_const(value_))}; });
  }

  // The same, and runs f on the value before anyone else can change it: how a queue hands out its next entry.
  template <class Ready, class F>
  bool wait_then(Clock& clock, const std::stop_token& stop, SteadyTime deadline, const Ready& ready, F&& f) {
    std::unique_lock lock(mutex_);
    if (!clock.wait_until(lock, changed_, stop, deadline, [&] { return bool{ready(std::as_const(value_))}; })) {
      return false;
    }
    std::forward<F>(f)(value_);
    changed_.notify_all();
    return true;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  T value_{};
};

}  // namespace landfall
