#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "progress/progress.h"

namespace landfall::progress {

inline constexpr Duration kStallPatience = std::chrono::seconds(30);

// One moment on both clocks: the steady one to measure by, the calendar to show.
struct Moment {
  SteadyTime steady;
  WallTime wall;
};
inline Moment moment(const Clock& clock) { return {.steady = clock.now(), .wall = clock.wall_now()}; }

// Tells an operation that is slow from one that hangs: it is stalled when nothing has moved for as long as `patience`.
// Not thread-safe.
class StallDetector {
 public:
  explicit StallDetector(Duration patience = kStallPatience) : patience_(patience) {}

  // Something moved. Ends a stall, and forgets why it was.
  void progressed(const Moment& now);

  // Whoever knows why nothing moves says so, before or after the stall shows: "no node agent on node-3", "throttled".
  // The last word counts, until something moves. An empty reason takes it back.
  void blame(std::string reason, std::string item = {});

  bool is_stalled(SteadyTime now) const;
  // `suspect` is what it probably hangs on, for when nobody has named an item.
  std::optional<Stall> check(SteadyTime now, std::string_view suspect) const;

 private:
  Duration patience_;
  std::optional<Moment> last_;  // nothing can stall before it has begun
  std::string reason_;
  std::string item_;
};

}  // namespace landfall::progress
