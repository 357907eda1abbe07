#include "plugin_kit/log_lines.h"

#include <variant>

#include "io/descriptor.h"
#include "json/json.h"
#include "json/parse.h"

namespace landfall::plugin_kit {
namespace {

// What a host reads from one line before it begins the next; Velero's logs longer ones in pieces, at debug.
constexpr std::size_t kLongestLine = 60'000;
constexpr std::size_t kLongestText = 8'000;

// hclog's words: a host takes a line with another one for text.
std::string level_word(LogLevel level) {
  if (level == LogLevel::kWarning) return "warn";
  if (level == LogLevel::kFatal) return "error";
  return std::string(to_string(level));
}

}  // namespace

std::string log_line(const LogEntry& entry) {
  json::Json line = json::Json::object();
  for (const LogField& field : entry.fields) {
    std::visit([&](const auto& value) { line[field.key] = value; }, field.value);
  }
  line["@message"] = entry.message;
  line["@level"] = level_word(entry.level);
  line["level"] = std::string(to_string(entry.level));
  std::string text = json::dump(line);
  if (text.size() <= kLongestLine) return text + "\n";
  return json::dump({{"@message", entry.message.substr(0, kLongestText) + " …"},
                     {"@level", level_word(entry.level)},
                     {"level", std::string(to_string(entry.level))}}) +
         "\n";
}

// A log has nobody to tell its own failures to.
void LogLines::write(const LogEntry& entry) { static_cast<void>(io::write_descriptor(descriptor_, log_line(entry))); }

}  // namespace landfall::plugin_kit
