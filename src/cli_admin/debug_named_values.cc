#include "cli_admin/debug_named_values.h"

#include <algorithm>

#include "base/strings.h"
#include "cli_admin/debug_names.h"
#include "cli_admin/debug_text.h"

namespace landfall::cli {
namespace {

// How far the end of quotes is looked for that begin in the middle of a word.
constexpr std::size_t kLongestQuote = 4096;
constexpr std::size_t kNowhere = std::string_view::npos;

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_space(char c) { return is_blank(c) || c == '\n' || c == '\r' || c == '\v' || c == '\f'; }
bool is_quote(char c) { return c == '"' || c == '\'' || c == '`'; }
bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
}
bool is_one_of(char c, std::string_view set) { return set.find(c) != kNowhere; }

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::string run() {
    while (at_ < text_.size()) {
      if (!is_name_char(text_[at_])) {
        out_ += text_[at_++];
        continue;
      }
      const std::size_t begin = at_;
      while (at_ < text_.size() && is_name_char(text_[at_])) ++at_;
      named(begin);
    }
    return std::move(out_);
  }

 private:
  char char_at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  bool is_end(std::size_t i) const { return i >= text_.size(); }

  // A name stands from `begin` to at_.
  void named(std::size_t begin) {
    const std::string_view name = text_.substr(begin, at_ - begin);
    const bool is_flag =
        name.size() > 1 && name[0] == '-' && (begin == 0 || !is_one_of(text_[begin - 1], "/:=@")) && name != "--";
    if (is_flag && name[1] != '-' && short_flag(begin, name)) return;
    out_ += name;
    const std::size_t value = value_behind(is_flag);
    if (value == kNowhere || !(is_secret_name(name) || is_secret_here(name, value))) return;
    remove(value);
  }

  // mysql -pX and -p X, redis-cli -a X, curl -u user:X, sqlcmd -P X, ldapsearch -w X.
  bool short_flag(std::size_t begin, std::string_view name) {
    const char letter = name[1];
    if (!is_one_of(letter, "paPwu")) return false;
    std::size_t value = begin + 2;
    if (name.size() == 2) {
      value = value_behind(true);
    } else if (letter == 'a' || letter == 'w' || is_secret_name(name)) {
      return false;
    }
    if (value == kNowhere) return false;
    if (letter == 'u' && !contains(text_.substr(value, end_of_value(value) - value), ":")) return false;
    at_ = begin + 2;
    out_ += text_.substr(begin, 2);
    remove(value);
    return true;
  }

  // Values that are written next to their names elsewhere, and what a hook runs.
  bool is_secret_here(std::string_view name, std::size_t value) const {
    const std::string_view between = text_.substr(at_, value - at_);
    if (name == "value") return is_one_of(between.front(), "\\\"'") || begins_line(at_ - name.size());
    if (name == "Value") return !is_blank(text_[value - 1]);
    if (name == "hookCommand" || name == "command" || name == "args") {
      return contains(between, "=") || is_one_of(text_[value], "[\"'");
    }
    return name == "--user" && contains(text_.substr(value, end_of_value(value) - value), ":");
  }

  bool begins_line(std::size_t i) const {
    while (i > 0 && (is_blank(text_[i - 1]) || text_[i - 1] == '-')) --i;
    return i == 0 || text_[i - 1] == '\n';
  }

  void remove(std::size_t value) {
    out_ += text_.substr(at_, value - at_);
    out_ += kRemoved;
    at_ = std::max(end_of_value(value), value);
  }

  // Where the value of the name before at_ begins, if one follows.
  std::size_t value_behind(bool is_flag) const {
    std::size_t i = at_;
    while (is_one_of(char_at(i), "\\\"'`]") && !is_end(i)) ++i;
    while (is_blank(char_at(i))) ++i;
    const char mark = char_at(i);
    if (mark == ':' || mark == '=') {
      ++i;
      if (is_one_of(char_at(i), "=>") && !is_end(i)) ++i;
    } else if (is_flag && (i > at_ || mark == ',')) {
      if (mark == ',') ++i;
    } else {
      return kNowhere;
    }
    while (is_blank(char_at(i))) ++i;
    return is_end(i) || is_space(text_[i]) ? kNowhere : i;
  }

  std::size_t end_of_value(std::size_t begin) const {
    if (is_one_of(text_[begin], "{[(")) return behind_bracket(begin);
    std::size_t i = begin;
    while (!is_end(i) && !is_space(text_[i])) {
      std::size_t slashes = 0;
      while (char_at(i + slashes) == '\\') ++slashes;
      const std::size_t mark = i + slashes;
      if (is_quote(char_at(mark))) {
        if (i != begin && is_edge(mark + 1)) return i;
        const std::size_t end = behind_quote(mark, slashes, i == begin ? text_.size() : kLongestQuote);
        if (end == kNowhere && i == begin) return text_.size();
        i = end == kNowhere ? mark + 1 : end;
        if (end != kNowhere && is_edge(i)) return i;
      } else {
        i = std::min(mark + 1, text_.size());
      }
    }
    return i;
  }

  bool is_edge(std::size_t i) const { return is_end(i) || is_space(text_[i]) || is_one_of(text_[i], ",}]);:&\\"); }

  // Quotes within quotes have more backslashes before them than the outer ones.
  std::size_t behind_quote(std::size_t open, std::size_t slashes, std::size_t within) const {
    std::size_t run = 0;
    const std::size_t end = within < text_.size() - open ? open + within : text_.size();
    for (std::size_t i = open + 1; i < end; ++i) {
      if (text_[i] == '\\') {
        ++run;
        continue;
      }
      if (text_[i] == text_[open] && (run / (slashes + 1)) % 2 == 0) return i + 1;
      run = 0;
    }
    return kNowhere;
  }

  // One that never closes goes to the end.
  std::size_t behind_bracket(std::size_t open) const {
    const char opening = text_[open];
    const char closing = opening == '{' ? '}' : opening == '[' ? ']' : ')';
    std::size_t depth = 0;
    for (std::size_t i = open; i < text_.size(); ++i) {
      if (text_[i] == opening) ++depth;
      if (text_[i] != closing || --depth > 0) continue;
      ++i;
      while (!is_edge(i) && !(is_quote(text_[i]) && is_edge(i + 1))) ++i;
      return i;
    }
    return text_.size();
  }

  const std::string_view text_;
  std::size_t at_ = 0;
  std::string out_;
};

std::string user_removed(std::string_view word) {
  std::size_t at = word.rfind('@');
  while (at != kNowhere && (word.substr(at).starts_with("@sha256:") || word.substr(at).starts_with("@sha512:"))) {
    at = at == 0 ? kNowhere : word.rfind('@', at - 1);
  }
  if (at == kNowhere) return std::string(word);
  const std::string_view before = word.substr(0, at);
  std::string kept;
  if (const std::size_t scheme = before.find("://"); scheme != kNowhere) {
    if (before.substr(0, scheme).find_first_of(":@") == kNowhere) kept = before.substr(0, scheme + 3);
  } else if (!contains(before, ":")) {
    return std::string(word);
  }
  return kept + std::string(kRemoved) + std::string(word.substr(at));
}

}  // namespace

std::string without_named_values(std::string_view text) { return Scanner(text).run(); }

std::string without_users(std::string_view text) {
  if (!contains(text, "@")) return std::string(text);
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \t\r\n\"<>`"), text.size());
    out += user_removed(text.substr(0, end));
    if (end < text.size()) out += text[end];
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace landfall::cli
