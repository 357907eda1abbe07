#pragma once

#include <string>

#include "base/log.h"

namespace landfall::plugin_kit {

// An entry as a host reads it from a plugin's standard error: a JSON object with @message, @level and fields.
std::string log_line(const LogEntry& entry);

// Writes such lines to a borrowed descriptor, one write() each. Thread-safe.
class LogLines final : public LogSink {
 public:
  explicit LogLines(int descriptor) : descriptor_(descriptor) {}
  void write(const LogEntry& entry) override;

 private:
  const int descriptor_;
};

}  // namespace landfall::plugin_kit
