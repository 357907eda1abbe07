#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quote.h"  // IWYU pragma: export
#include "base/result.h"
#include "base/utf8.h"  // IWYU pragma: export

// Small text helpers that the standard library lacks. Pure functions; the views they return point into their argument.

namespace landfall {

// The parts between separators: always one more than there are separators, so "" is one empty part and "a," is two.
std::vector<std::string_view> split(std::string_view text, char separator);

// The words between runs of white space (Unicode's, as in Go's strings.Fields); none is empty.
std::vector<std::string_view> split_words(std::string_view text);

// Without the white space at both ends (Unicode's, as in Go's strings.TrimSpace).
std::string_view trim(std::string_view text);

// What stands before and after the first separator; nothing when there is none: "key=a=b" at '=' is {"key", "a=b"}.
std::optional<std::pair<std::string_view, std::string_view>> cut(std::string_view text, char separator);

// The rest of the text, if it starts (ends) so.
std::optional<std::string_view> strip_prefix(std::string_view text, std::string_view prefix);
std::optional<std::string_view> strip_suffix(std::string_view text, std::string_view suffix);

inline bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// Joins anything that holds strings or views of strings.
template <class Strings>
std::string join(const Strings& parts, std::string_view separator) {
  std::string out;
  bool first = true;
  for (const auto& part : parts) {
    if (!first) {
      out += separator;
    }
    first = false;
    out += part;
  }
  return out;
}

// ASCII only: names in Kubernetes and keywords have no other letters.
std::string to_lower(std::string_view text);

// A whole decimal number, with an optional sign for the signed one (a plus is read, too). Anything else is kInvalid:
// empty text, spaces, a number past the range; the message quotes the text and, for the last, names the range.
Result<std::int64_t> parse_int64(std::string_view text);
Result<std::uint64_t> parse_uint64(std::string_view text);

}  // namespace landfall
