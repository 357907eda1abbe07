#include "plugin/log_line.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/strings.h"
#include "base/utf8.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"

namespace landfall::plugin {
namespace {

using json::Json;

constexpr std::size_t kDeepest = 32;

std::string cut(std::string_view text, std::size_t most) {
  std::string kept = to_valid_utf8(text.substr(0, most));
  if (text.size() > most) kept += "…";
  return kept;
}

// Others (fatal, panic, what nobody knows) make the line one that is not understood, as in go-plugin.
std::optional<LogLevel> level_of(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, LogLevel>, 6> kLevels{{{"trace", LogLevel::kDebug},
                                                                                 {"debug", LogLevel::kDebug},
                                                                                 {"info", LogLevel::kInfo},
                                                                                 {"warn", LogLevel::kWarning},
                                                                                 {"warning", LogLevel::kWarning},
                                                                                 {"error", LogLevel::kError}}};
  const std::string lower = to_lower(text);
  for (const auto& [name, level] : kLevels) {
    if (name == lower) return level;
  }
  return std::nullopt;
}

// What the host says itself, and the marks of go-plugin and of Velero.
bool is_ours(std::string_view key) {
  static constexpr std::array<std::string_view, 9> kOurs{"@message",  "@level", "@timestamp", "@logSourceSetBy", "time",
                                                         "timestamp", "level",  "cmd",        "pluginName"};
  return std::ranges::find(kOurs, key) != kOurs.end();
}

LogField field_of(const std::string& key, const Json& value) {
  const std::string name = cut(key, LogLineReader::kLongestKey);
  if (value.is_string()) return {name, cut(value.get_ref<const std::string&>(), LogLineReader::kLongestValue)};
  if (value.is_boolean()) return {name, value.get<bool>()};
  if (value.is_number_integer()) return {name, value.get<std::int64_t>()};
  if (value.is_number()) return {name, value.get<double>()};
  return {name, cut(json::dump(value), LogLineReader::kLongestValue)};
}

std::optional<LogLine> read_json(std::string_view text) {
  if (!text.starts_with('{')) return std::nullopt;
  const auto document = json::parse(text, {.max_bytes = LogLineReader::kLongestLine, .max_depth = kDeepest});
  if (!document || !document->is_object()) return std::nullopt;
  const std::string* message = json::find_string(*document, {"@message"});
  const std::string* level = json::find_string(*document, {"@level"});
  if (message == nullptr || level == nullptr) return std::nullopt;
  const auto known = level_of(*level);
  if (!known) return std::nullopt;
  LogLine line{.level = *known, .message = cut(*message, LogLineReader::kLongestValue), .fields = {}};
  for (const auto& [key, value] : document->items()) {
    if (is_ours(key) || key.empty() || line.fields.size() == LogLineReader::kMostFields) continue;
    line.fields.push_back(field_of(key, value));
  }
  return line;
}

std::optional<LogLevel> tag_of(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, LogLevel>, 5> kTags{{{"[TRACE]", LogLevel::kDebug},
                                                                               {"[DEBUG]", LogLevel::kDebug},
                                                                               {"[INFO]", LogLevel::kInfo},
                                                                               {"[WARN]", LogLevel::kWarning},
                                                                               {"[ERROR]", LogLevel::kError}}};
  for (const auto& [tag, level] : kTags) {
    if (text.starts_with(tag)) return level;
  }
  return std::nullopt;
}

}  // namespace

LogLine LogLineReader::read(std::string_view line) {
  if (auto understood = read_json(line)) return *std::move(understood);
  LogLevel level = LogLevel::kDebug;
  if (const auto tag = tag_of(line)) {
    level = *tag;
  } else if (line.starts_with("panic: ") || line.starts_with("fatal error: ")) {
    is_panicking_ = true;
  }
  if (is_panicking_ && !tag_of(line)) level = LogLevel::kError;
  return {.level = level, .message = cut(line, kLongestValue), .fields = {}};
}

}  // namespace landfall::plugin
