#pragma once

#include <chrono>
#include <stdexcept>
#include <utility>

#include "base/clock.h"
#include "base/result.h"

namespace landfall::stories {

// How long a story waits for what should happen in a moment, on a machine that is busy with other things.
inline constexpr Duration kPatience = std::chrono::seconds(60);

// Looks every few milliseconds; false when it never was so.
template <class Holds>
bool soon(const Holds& holds) {
  const SteadyTime deadline = system_clock().after(kPatience);
  while (!holds()) {
    if (system_clock().now() > deadline) return false;
    system_clock().sleep_for(std::chrono::milliseconds(10), {});
  }
  return true;
}

// For what a story needs before it can begin.
template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message());
  return *std::move(result);
}
inline void must(const Status& status) {
  if (!status) throw std::runtime_error(status.error().message());
}

}  // namespace landfall::stories
