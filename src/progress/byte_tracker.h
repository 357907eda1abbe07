#pragma once

#include <optional>

#include "base/bytes.h"
#include "progress/progress.h"

namespace landfall::progress {

// Counts the bytes of one volume from what an uploader says, which may come late, out of order, too high or twice. The
// promises are those of ByteCounts. Before the total is known nothing counts as done: the total might turn out lower.
// Not thread-safe.
class ByteTracker {
 public:
  // What there is to do. May be said again when more is found; less than before is ignored.
  void total(ByteCount bytes);

  // What has been done so far, from the start. Less than before is ignored; more than the total counts as the total,
  // and as what it is if the total grows. True if the volume has moved.
  bool done(ByteCount so_far);

  // All of it is done. The exact size, where the uploader says it, replaces an estimated total; it may be lower.
  void finish(std::optional<ByteCount> exact_total = std::nullopt);

  ByteCounts counts() const;

 private:
  std::optional<ByteCount> total_;
  ByteCount done_;  // as said: may be past the total
};

}  // namespace landfall::progress
