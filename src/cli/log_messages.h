#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/stream.h"

namespace landfall::cli {

// A warning or an error from the log of an operation.
struct LogMessage {
  bool is_error = false;
  std::string text;  // as it was logged: not yet fit for a terminal

  friend bool operator==(const LogMessage&, const LogMessage&) = default;
};

// What a log's line says, if it is a warning or worse; as text or as JSON. Outside bytes: whatever cannot be read is
// nothing.
std::optional<LogMessage> read_log_message(std::string_view line);

// The few that fit on a screen.
inline constexpr std::size_t kNewestMessages = 3;
void keep_newest(std::vector<LogMessage>& messages, LogMessage message);

// A log goes in as it comes, its warnings and errors come out. Lines of any length; of long ones the end is dropped.
class LogMessages final : public io::Writer {
 public:
  explicit LogMessages(std::function<void(LogMessage)> on_message) : on_message_(std::move(on_message)) {}
  Status write(std::string_view bytes) override;
  Status close() override { return {}; }

 private:
  std::function<void(LogMessage)> on_message_;
  std::string line_;  // as far as it has come
};

}  // namespace landfall::cli
