#pragma once

#include <chrono>
#include <stop_token>

#include "base/clock.h"
#include "base/guarded.h"

namespace landfall::testkit {

// How long a test waits for something that should have happened at once before it gives up. Only a broken test or a
// broken program ever waits so long.
inline constexpr auto kPatience = std::chrono::seconds(60);

// A one-way door between two threads of a test: one side waits, the other opens it, in real time and without sleeping.
// Thread-safe.
class Gate {
 public:
  void open() {
    open_.update([](bool& is_open) { is_open = true; });
  }
  bool is_open() const { return open_.copy(); }

  // False when a stop was asked for or nobody opened it for kPatience: assert on it.
  bool await(const std::stop_token& stop = {}) {
    return open_.wait_until(system_clock(), stop, system_clock().after(kPatience),
                            [](bool is_open) { return is_open; });
  }

 private:
  Monitor<bool> open_;
};

}  // namespace landfall::testkit
