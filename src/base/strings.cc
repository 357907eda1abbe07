#include "base/strings.h"

#include <charconv>
#include <type_traits>

namespace landfall {
namespace {

std::size_t leading_space(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size()) {
    const Rune rune = first_rune(text.substr(length));
    if (!rune.valid || !is_space(rune.value)) {
      break;
    }
    length += rune.size;
  }
  return length;
}

std::size_t leading_word(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size()) {
    const Rune rune = first_rune(text.substr(length));
    if (rune.valid && is_space(rune.value)) {
      break;
    }
    length += rune.size;
  }
  return length;
}

// The size of the white space character that the text ends with, or 0.
std::size_t last_space(std::string_view text) {
  for (std::size_t size = 1; size <= 3 && size <= text.size(); ++size) {
    const Rune rune = first_rune(text.substr(text.size() - size));
    if (rune.valid && rune.size == size) {
      return is_space(rune.value) ? size : 0;
    }
  }
  return 0;
}

template <class Number>
Result<Number> parse_number(std::string_view text, std::string_view range) {
  std::string_view digits = text;
  // from_chars() knows no plus.
  if (std::is_signed_v<Number> && digits.size() > 1 && digits.front() == '+' && digits[1] != '-') {
    digits.remove_prefix(1);
  }
  Number number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error == std::errc::invalid_argument || end != digits.data() + digits.size()) {
    return fail(Code::kInvalid, quote(text) + " is not a whole number");
  }
  if (error == std::errc::result_out_of_range) {
    return fail(Code::kInvalid, quote(text) + " is out of range: use a number " + std::string(range));
  }
  return number;
}

}  // namespace

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  text.remove_prefix(leading_space(text));
  while (!text.empty()) {
    const std::size_t size = leading_word(text);
    words.push_back(text.substr(0, size));
    text.remove_prefix(size);
    text.remove_prefix(leading_space(text));
  }
  return words;
}

std::string_view trim(std::string_view text) {
  text.remove_prefix(leading_space(text));
  while (const std::size_t size = last_space(text)) {
    text.remove_suffix(size);
  }
  return text;
}

std::optional<std::pair<std::string_view, std::string_view>> cut(std::string_view text, char separator) {
  const std::size_t at = text.find(separator);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  return std::pair(text.substr(0, at), text.substr(at + 1));
}

std::optional<std::string_view> strip_prefix(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix)) {
    return std::nullopt;
  }
  return text.substr(prefix.size());
}

std::optional<std::string_view> strip_suffix(std::string_view text, std::string_view suffix) {
  if (!text.ends_with(suffix)) {
    return std::nullopt;
  }
  return text.substr(0, text.size() - suffix.size());
}

std::string to_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') {
      c = static_cast<char>(c - 'A' + 'a');
    }
  }
  return out;
}

Result<std::int64_t> parse_int64(std::string_view text) {
  return parse_number<std::int64_t>(text, "from -9223372036854775808 to 9223372036854775807");
}

Result<std::uint64_t> parse_uint64(std::string_view text) {
  return parse_number<std::uint64_t>(text, "from 0 to 18446744073709551615");
}

}  // namespace landfall
