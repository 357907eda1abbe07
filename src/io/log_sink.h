#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/guarded.h"
#include "base/log.h"
#include "io/stream.h"

namespace landfall::io {

enum class LogFormat { kText, kJson };

// Writes each entry as a line. A log has nobody to tell its own failures to: it counts them. Thread-safe: lines do not
// mix.
class LineLogSink final : public LogSink {
 public:
  // To a writer, which must outlive it and is not closed.
  LineLogSink(Writer& writer, LogFormat format);
  // To a borrowed descriptor such as standard error: one write() a line, nothing is buffered.
  LineLogSink(int descriptor, LogFormat format);

  void write(const LogEntry& entry) override;
  // How many entries could not be written.
  std::size_t lost() const;

 private:
  struct Output {
    std::function<Status(std::string_view line)> write;
    std::size_t lost = 0;
  };
  const LogFormat format_;
  Guarded<Output> output_;
};

// Keeps entries, for tests. Thread-safe.
class MemoryLogSink final : public LogSink {
 public:
  void write(const LogEntry& entry) override;
  std::vector<LogEntry> entries() const { return entries_.copy(); }
  // All of it as text, a line for each entry.
  std::string text() const;

 private:
  Guarded<std::vector<LogEntry>> entries_;
};

}  // namespace landfall::io
