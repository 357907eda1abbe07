#include "io/log_sink.h"

#include "base/log_format.h"
#include "io/descriptor.h"

namespace landfall::io {

LineLogSink::LineLogSink(Writer& writer, LogFormat format)
    : format_(format), output_(Output{.write = [&writer](std::string_view line) { return writer.write(line); }}) {}

LineLogSink::LineLogSink(int descriptor, LogFormat format)
    : format_(format),
      output_(Output{.write = [descriptor](std::string_view line) { return write_descriptor(descriptor, line); }}) {}

void LineLogSink::write(const LogEntry& entry) {
  const std::string line = format_ == LogFormat::kJson ? format_json(entry) : format_text(entry);
  // The lock is held over the write on purpose: it is what keeps the lines whole and in order.
  output_.with([&](Output& output) {
    if (!output.write(line)) {
      ++output.lost;
    }
  });
}

std::size_t LineLogSink::lost() const {
  return output_.with([](const Output& output) { return output.lost; });
}

void MemoryLogSink::write(const LogEntry& entry) {
  entries_.with([&](auto& entries) { entries.push_back(entry); });
}

std::string MemoryLogSink::text() const {
  std::string all;
  for (const LogEntry& entry : entries()) {
    all += format_text(entry);
  }
  return all;
}

}  // namespace landfall::io
