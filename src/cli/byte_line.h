#pragma once

#include "base/bytes.h"
#include "cli/context.h"
#include "progress/byte_reporter.h"
#include "terminal/live_line.h"

namespace landfall::cli {

// A line of progress while a command reads so many bytes: how far it is, how fast, how long it will take. Drawn from a
// thread of its own, gone when the work has ended.
class ByteLine {
 public:
  explicit ByteLine(const Context& context);
  ByteLine(const ByteLine&) = delete;
  ByteLine& operator=(const ByteLine&) = delete;
  ~ByteLine();

  // Once it is known; 0 is one that nobody knows.
  void total(ByteCount bytes);
  void done(ByteCount so_far) { reporter_.done(so_far); }
  // All of it was read. Without this the line says how far it came.
  void complete() { is_complete_ = true; }

 private:
  Status draw(const progress::ByteProgress& now);

  const Context& context_;
  terminal::LiveLine line_;
  progress::ByteReporter reporter_;
  bool is_complete_ = false;
};

}  // namespace landfall::cli
