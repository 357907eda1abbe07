#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace landfall {

enum class LogLevel { kTrace, kDebug, kInfo, kWarning, kError, kFatal };

// "debug", "info", "warning" … as the --log-level flag and the lines spell them; "warn" is read as well.
std::string_view to_string(LogLevel level);
Result<LogLevel> parse_log_level(std::string_view text);

// One `key=value` of a line. Build one with `{"backup", name}`; secrets never belong in a field.
struct LogField {
  using Value = std::variant<std::string, std::int64_t, double, bool>;
  std::string key;
  Value value;

  LogField(std::string_view k, std::string_view v) : key(k), value(std::string(v)) {}
  LogField(std::string_view k, const std::string& v) : key(k), value(v) {}
  LogField(std::string_view k, const char* v) : key(k), value(std::string(v)) {}
  LogField(std::string_view k, double v) : key(k), value(v) {}
  LogField(std::string_view k, bool v) : key(k), value(v) {}
  template <class I>
    requires(std::is_integral_v<I> && !std::is_same_v<I, bool>)
  LogField(std::string_view k, I v) : key(k), value(static_cast<std::int64_t>(v)) {}
  // An error becomes `error="…"`, the key that Velero's lines use.
  explicit LogField(const Error& error) : key("error"), value(error.message()) {}
};

struct LogEntry {
  WallTime time;
  LogLevel level = LogLevel::kInfo;
  std::string message;
  std::vector<LogField> fields;
};

// Where entries go. Called from any thread, one entry at a time per sink is not promised: a sink locks for itself.
class LogSink {
 public:
  virtual ~LogSink() = default;
  virtual void write(const LogEntry& entry) = 0;
};

// Writes entries with fields to one or more sinks. A cheap value: copy it, narrow it with with(), pass it by reference.
// An operation (one backup, one restore) gets a logger of its own by also_to(): its lines go to the server's log and to
// the operation's file. Thread-safe.
class Logger {
 public:
  // A logger that drops everything.
  Logger() = default;
  Logger(const Clock& clock, std::shared_ptr<LogSink> sink, LogLevel least = LogLevel::kInfo);

  Logger with(std::initializer_list<LogField> fields) const;
  // Each sink keeps its own threshold.
  Logger also_to(std::shared_ptr<LogSink> sink, LogLevel least) const;

  void log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields = {}) const;
  void debug(std::string_view message, std::initializer_list<LogField> fields = {}) const;
  void info(std::string_view message, std::initializer_list<LogField> fields = {}) const;
  void warning(std::string_view message, std::initializer_list<LogField> fields = {}) const;
  void error(std::string_view message, std::initializer_list<LogField> fields = {}) const;

 private:
  struct Target {
    std::shared_ptr<LogSink> sink;
    LogLevel least;
  };
  const Clock* clock_ = nullptr;
  std::vector<Target> targets_;
  std::vector<LogField> fields_;
};

}  // namespace landfall
