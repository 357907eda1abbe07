#include "modifiers/resource_glob.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "base/strings.h"
#include "selection/glob.h"

namespace landfall::modifiers {
namespace {

class Translation {
 public:
  explicit Translation(std::string_view pattern) : text_(pattern) {}

  Result<std::string> run() {
    while (at_ < text_.size()) {
      TRY("", item());
    }
    // As in Velero, an open brace ends at the end.
    for (; open_ > 0; --open_) out_ += ')';
    return "\\A(?:" + std::exchange(out_, {}) + ")\\z";
  }

 private:
  static tl::unexpected<Error> error(std::size_t place, std::string_view what) {
    return fail(Code::kInvalid, "at byte " + std::to_string(place) + ": " + std::string(what));
  }

  bool is_at(char c) const { return at_ < text_.size() && text_[at_] == c; }

  Result<std::string> literal() {
    const Rune found = first_rune(text_.substr(at_));
    if (!found.valid || found.value == 0) return error(at_, "not readable as text");
    at_ += found.size;
    return fmt::format("\\x{{{:x}}}", static_cast<std::uint32_t>(found.value));
  }

  Status item() {
    switch (text_[at_]) {
      case '*':
        star();
        return {};
      case '?':
        return emit("[^.]");
      case '[':
        return set();
      case '{':
        ++open_;
        return emit("(?:");
      case ',':
        if (open_ > 0) return emit("|");
        break;
      case '}':
        if (open_ > 0) {
          --open_;
          return emit(")");
        }
        break;
      case '\\':
        if (++at_ == text_.size()) return {};  // as in Velero, a backslash at the end stands for nothing
        break;
      default:
        break;
    }
    TRY_ASSIGN(const std::string character, "", literal());
    out_ += character;
    return {};
  }

  Status emit(std::string_view syntax) {
    ++at_;
    out_ += syntax;
    return {};
  }

  void star() {
    const std::size_t start = at_;
    while (is_at('*')) ++at_;
    out_ += at_ - start > 1 ? "(?s:.*)" : "[^.]*";
  }

  Status set() {
    const std::size_t start = at_++;
    out_ += '[';
    if (is_at('!')) {
      out_ += '^';
      ++at_;
    }
    const std::size_t first = at_;
    while (at_ < text_.size() && (text_[at_] != ']')) {
      // A set is either one range or a list, in which a dash stands for itself.
      const std::size_t member = at_;
      if (is_at('\\') && ++at_ == text_.size()) break;
      TRY_ASSIGN(const std::string character, "", literal());
      out_ += character;
      if (member == first && is_at('-')) {
        TRY("", range_end(start));
      }
    }
    if (at_ == text_.size()) return error(start, "the set is not closed");
    if (at_ == first) return error(start, "the set is empty");
    return emit("]");
  }

  Status range_end(std::size_t start) {
    ++at_;
    out_ += '-';
    if (at_ == text_.size()) return error(start, "the set is not closed");
    TRY_ASSIGN(const std::string character, "", literal());
    out_ += character;
    if (at_ < text_.size() && !is_at(']')) return error(start, "a range such as [a-z] must be alone in its set");
    return {};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t open_ = 0;
  std::string out_;
};

}  // namespace

Result<std::string> glob_to_regex(std::string_view pattern) {
  if (pattern.size() > selection::Glob::kMaxBytes) {
    return fail(Code::kInvalid, "it is longer than " + std::to_string(selection::Glob::kMaxBytes) + " bytes");
  }
  return Translation(pattern).run();
}

}  // namespace landfall::modifiers
