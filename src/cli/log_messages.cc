#include "cli/log_messages.h"

#include <algorithm>
#include <utility>

#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"

namespace landfall::cli {
namespace {

constexpr std::size_t kLongestLine = 16 * 1024;

// The value that begins here: a word, or a text in quotes as Go's %q writes it.
std::string value_at(std::string_view rest) {
  if (rest.empty() || rest.front() != '"') return std::string(rest.substr(0, rest.find(' ')));
  std::string value;
  for (std::size_t i = 1; i < rest.size() && rest[i] != '"'; ++i) {
    if (rest[i] != '\\' || i + 1 == rest.size()) {
      value += rest[i];
      continue;
    }
    const char escaped = rest[++i];
    // Others than these are bytes that no terminal is to see: they stay as they are written.
    if (escaped == 'n' || escaped == 't' || escaped == 'r') {
      value += ' ';
    } else if (escaped == '"' || escaped == '\\') {
      value += escaped;
    } else {
      value.append({'\\', escaped});
    }
  }
  return value;
}

// Of a line of text. A field's name is at the beginning or after a space, and not inside of quotes.
std::string field_of(std::string_view line, std::string_view name) {
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (is_quoted && line[i] == '\\') {
      ++i;
    } else if (line[i] == '"') {
      is_quoted = !is_quoted;
    } else if (!is_quoted && (i == 0 || line[i - 1] == ' ') && line.substr(i).starts_with(name) &&
               line.substr(i + name.size()).starts_with('=')) {
      return value_at(line.substr(i + name.size() + 1));
    }
  }
  return "";
}

}  // namespace

std::optional<LogMessage> read_log_message(std::string_view line) {
  std::optional<json::Json> document;
  if (line.starts_with('{')) {
    auto parsed = json::parse(line);
    if (!parsed || !parsed->is_object()) return std::nullopt;
    document = *std::move(parsed);
  }
  const auto field = [&](std::string_view name) {
    return document ? json::string_or(*document, {name}, "") : field_of(line, name);
  };
  const std::string level = field("level");
  const bool is_error = level == "error" || level == "fatal" || level == "panic";
  if (!is_error && level != "warning") return std::nullopt;
  std::string text = field("msg");
  for (const char* name : {"resource", "namespace", "name", "error"}) {
    if (const std::string more = field(name); !more.empty()) text += (text.empty() ? "" : ", ") + more;
  }
  if (text.empty()) return std::nullopt;
  return LogMessage{.is_error = is_error, .text = std::move(text)};
}

void keep_newest(std::vector<LogMessage>& messages, LogMessage message) {
  if (messages.size() >= kNewestMessages) messages.erase(messages.begin());
  messages.push_back(std::move(message));
}

Status LogMessages::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    line_ += piece.substr(0, kLongestLine - std::min(line_.size(), kLongestLine));
    if (end == std::string_view::npos) return {};
    bytes.remove_prefix(end + 1);
    if (auto message = read_log_message(line_)) on_message_(*std::move(message));
    line_.clear();
  }
  return {};
}

}  // namespace landfall::cli
