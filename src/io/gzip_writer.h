#pragma once

#include <memory>

#include "io/stream.h"

namespace landfall::io {

struct GzipOptions {
  // 1 (fast) to 12 (small). 6 gives the size of Go's default within a few percent, on any input.
  int level = 6;
  // 0: one for each processor, eight at most.
  unsigned workers = 0;
};

// Compresses in parallel: every MiB becomes a gzip member of its own, which every gzip reader takes as one stream.
//
// The same bytes and level give the same output, whatever the workers and the sizes of the writes. Memory is about
// 5 MiB a worker. Threads start with the second MiB, so a small document costs none.
// Only the thread that calls write() and close() touches the sink; its errors come out there, and again at every later
// call. Destroyed without close(), it writes nothing more.
class GzipWriter final : public Writer {
 public:
  // The sink stays open: who owns it closes it after close() has succeeded.
  explicit GzipWriter(Writer& sink, GzipOptions options = {});
  GzipWriter(const GzipWriter&) = delete;
  GzipWriter& operator=(const GzipWriter&) = delete;
  ~GzipWriter() override;

  Status write(std::string_view bytes) override;
  // Nothing written gives one empty member.
  Status close() override;

 private:
  class Pipeline;
  std::unique_ptr<Pipeline> pipeline_;
};

}  // namespace landfall::io
