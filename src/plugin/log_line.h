#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"

namespace landfall::plugin {

// One line of a plugin's log.
struct LogLine {
  LogLevel level = LogLevel::kDebug;
  std::string message;
  std::vector<LogField> fields;
};

// Understands what plugins write to their standard error as go-plugin's host does: JSON of hclog and logrus, text with
// "[WARN]" in front, a Go program that panics. The bytes may be anything; so much of them is kept as stands here. Of
// one process, in order.
class LogLineReader {
 public:
  static constexpr std::size_t kLongestLine = 64UL * 1024;
  static constexpr std::size_t kLongestValue = 8UL * 1024;
  static constexpr std::size_t kLongestKey = 128;
  static constexpr std::size_t kMostFields = 32;

  LogLine read(std::string_view line);

 private:
  bool is_panicking_ = false;
};

}  // namespace landfall::plugin
