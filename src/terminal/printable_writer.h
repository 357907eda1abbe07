#pragma once

#include <string>
#include <string_view>

#include "io/stream.h"

namespace landfall::terminal {

// Passes text on line by line, safe to show: what others wrote into a log must not move the cursor. Close it, or what
// stands behind the last end of a line is lost.
class PrintableWriter final : public io::Writer {
 public:
  // The writer must outlive it; it is not closed.
  explicit PrintableWriter(io::Writer& to) : to_(to) {}

  Status write(std::string_view bytes) override;
  Status close() override;

 private:
  // A line without an end is cut there.
  static constexpr std::size_t kLongestLine = 64UL * 1024;

  io::Writer& to_;
  std::string line_;
};

}  // namespace landfall::terminal
