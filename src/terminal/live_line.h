#pragma once

#include <chrono>
#include <string_view>

#include "base/clock.h"
#include "io/stream.h"
#include "terminal/terminal.h"

namespace landfall::terminal {

// One line of progress where the user looks: redrawn in place on a terminal; in a pipe or a file a plain line now and
// then, so that a log stays readable. Not thread-safe.
class LiveLine {
 public:
  static constexpr Duration kPlainInterval = std::chrono::seconds(10);

  LiveLine(io::Writer& to, Terminal terminal, const Clock& clock);

  Status show(std::string_view text);
  // Takes the line away before other output; a pipe keeps what it has.
  Status clear();

 private:
  io::Writer& to_;
  const Terminal terminal_;
  const Clock& clock_;
  SteadyTime last_;        // when a plain line was written, or the start
  bool is_drawn_ = false;  // there is a line on the terminal
};

}  // namespace landfall::terminal
