#include "base/log.h"

#include <array>

namespace landfall {
namespace {

constexpr std::array<std::string_view, 6> kNames = {"trace", "debug", "info", "warning", "error", "fatal"};

// A field set later wins over one of the same name set earlier, as in logrus.
void set_field(std::vector<LogField>& fields, const LogField& field) {
  for (LogField& known : fields) {
    if (known.key == field.key) {
      known.value = field.value;
      return;
    }
  }
  fields.push_back(field);
}

}  // namespace

std::string_view to_string(LogLevel level) { return kNames.at(static_cast<std::size_t>(level)); }

Result<LogLevel> parse_log_level(std::string_view text) {
  if (text == "warn") {
    return LogLevel::kWarning;
  }
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames.at(i) == text) {
      return static_cast<LogLevel>(i);
    }
  }
  return fail(Code::kInvalid,
              "unknown log level \"" + std::string(text) + "\": use one of trace, debug, info, warning, error, fatal");
}

Logger::Logger(const Clock& clock, std::shared_ptr<LogSink> sink, LogLevel least)
    : clock_(&clock), targets_{{std::move(sink), least}} {}

Logger Logger::with(std::initializer_list<LogField> fields) const {
  Logger narrowed = *this;
  for (const LogField& field : fields) {
    set_field(narrowed.fields_, field);
  }
  return narrowed;
}

Logger Logger::also_to(std::shared_ptr<LogSink> sink, LogLevel least) const {
  Logger wider = *this;
  wider.targets_.push_back({std::move(sink), least});
  return wider;
}

void Logger::log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) const {
  bool wanted = false;
  for (const Target& target : targets_) {
    wanted = wanted || level >= target.least;
  }
  if (!wanted) {
    return;
  }
  const Clock& clock = clock_ != nullptr ? *clock_ : system_clock();  // a logger that dropped everything may get a sink
  LogEntry entry{.time = clock.wall_now(), .level = level, .message = std::string(message), .fields = fields_};
  for (const LogField& field : fields) {
    set_field(entry.fields, field);
  }
  for (const Target& target : targets_) {
    if (level >= target.least) {
      target.sink->write(entry);
    }
  }
}

void Logger::debug(std::string_view message, std::initializer_list<LogField> fields) const {
  log(LogLevel::kDebug, message, fields);
}
void Logger::info(std::string_view message, std::initializer_list<LogField> fields) const {
  log(LogLevel::kInfo, message, fields);
}
void Logger::warning(std::string_view message, std::initializer_list<LogField> fields) const {
  log(LogLevel::kWarning, message, fields);
}
void Logger::error(std::string_view message, std::initializer_list<LogField> fields) const {
  log(LogLevel::kError, message, fields);
}

}  // namespace landfall
