#include "json/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

#include "base/encoding.h"
#include "base/utf8.h"
#include "json/json.h"
#include "json/parse.h"
#include "json/timestamp.h"

namespace landfall::json {
namespace {

constexpr std::string_view kTagPrefix = "tag:yaml.org,2002:";

struct Word {
  std::string_view text;
  bool value;
};
constexpr auto kBooleans = std::to_array<Word>({
    {"y", true},      {"Y", true},    {"yes", true},  {"Yes", true},  {"YES", true},    {"true", true},
    {"True", true},   {"TRUE", true}, {"on", true},   {"On", true},   {"ON", true},     {"n", false},
    {"N", false},     {"no", false},  {"No", false},  {"NO", false},  {"false", false}, {"False", false},
    {"FALSE", false}, {"off", false}, {"Off", false}, {"OFF", false},
});
constexpr auto kNulls = std::to_array<std::string_view>({"", "~", "null", "Null", "NULL"});
constexpr auto kNans = std::to_array<std::string_view>({".nan", ".NaN", ".NAN"});
constexpr auto kInfinities = std::to_array<std::string_view>({".inf", ".Inf", ".INF"});

template <class List>
bool contains(const List& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Words with a meaning of their own.
std::optional<Json> resolve_word(std::string_view text) {
  if (contains(kNulls, text)) return Json();
  const auto* boolean = std::find_if(kBooleans.begin(), kBooleans.end(), [&](const Word& w) { return w.text == text; });
  if (boolean != kBooleans.end()) return Json(boolean->value);
  if (contains(kNans, text)) return Json(std::numeric_limits<double>::quiet_NaN());
  const bool has_sign = text.starts_with('+') || text.starts_with('-');
  if (contains(kInfinities, has_sign ? text.substr(1) : text)) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return Json(text.starts_with('-') ? -kInfinity : kInfinity);
  }
  return std::nullopt;
}

int take_base(std::string_view& digits) {
  if (digits.size() < 2 || digits[0] != '0') return 10;
  const char letter = digits[1];
  const int base = letter == 'x' || letter == 'X' ? 16 : letter == 'b' || letter == 'B' ? 2 : 8;
  const bool has_letter = base != 8 || letter == 'o' || letter == 'O';
  digits.remove_prefix(has_letter ? 2 : 1);
  return base;
}

// Integers as Go's strconv reads them with base 0.
std::optional<Json> resolve_integer(std::string_view text) {
  const bool has_sign = text.starts_with('+') || text.starts_with('-');
  const bool negative = text.starts_with('-');
  std::string_view digits = has_sign ? text.substr(1) : text;
  const int base = take_base(digits);
  std::uint64_t magnitude = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, base);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (negative) {
    if (magnitude > kMost + 1) return std::nullopt;
    return Json(static_cast<std::int64_t>(std::uint64_t{0} - magnitude));
  }
  if (magnitude <= kMost) return Json(static_cast<std::int64_t>(magnitude));
  if (has_sign) return std::nullopt;  // an unsigned number takes no sign
  return Json(magnitude);
}

// [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
bool looks_like_float(std::string_view text) {
  const auto take_digits = [&] {
    const auto count = static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
    text.remove_prefix(count);
    return count > 0;
  };
  const auto take_one_of = [&](std::string_view set) {
    if (text.empty() || set.find(text[0]) == std::string_view::npos) return false;
    text.remove_prefix(1);
    return true;
  };
  take_one_of("+-");
  const bool has_whole = take_digits();
  const bool has_fraction = take_one_of(".") && take_digits();
  if (!has_whole && !has_fraction) return false;
  if (take_one_of("eE")) {
    take_one_of("+-");
    if (!take_digits()) return false;
  }
  return text.empty();
}

std::optional<double> parse_double(std::string_view text) {
  if (!looks_like_float(text)) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) {
    // Too small is zero, too large is no number; from_chars does not say which.
    value = std::strtod(std::string(text).c_str(), nullptr);
    if (std::isinf(value)) return std::nullopt;
  }
  return value;
}

// With underscores between digits, as Go's strconv allows them.
std::optional<double> parse_grouped_double(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      plain += text[i];
    } else if (i == 0 || i + 1 == text.size() || !is_digit(text[i - 1]) || !is_digit(text[i + 1])) {
      return std::nullopt;
    }
  }
  return parse_double(plain);
}

Json resolve_untagged(std::string_view text) {
  // Anything else starts a string, and need not be compared with words.
  constexpr std::string_view kHints = "+-0123456789yYnNtTfFoO~.";
  if (!text.empty() && kHints.find(text[0]) == std::string_view::npos) return text;
  if (auto word = resolve_word(text)) return *std::move(word);
  if (text[0] == '.') {
    if (const auto number = parse_grouped_double(text)) return *number;
  } else if (is_digit(text[0]) || text[0] == '+' || text[0] == '-') {
    std::string plain(text);
    std::erase(plain, '_');
    if (auto integer = resolve_integer(plain)) return *std::move(integer);
    if (const auto number = parse_double(plain)) return *number;
  }
  return text;
}

Result<Json> resolve_binary(std::string_view text) {
  std::string digits(text);
  std::erase_if(digits, [](char c) { return c == '\r' || c == '\n'; });
  TRY_ASSIGN(std::string bytes, "!!binary", base64_decode(digits));
  if (!is_valid_utf8(bytes)) {
    return fail(Code::kInvalid, "the !!binary value is not text: leave it in base64, without the tag");
  }
  return bytes;
}

Result<Json> expect_tag(Json resolved, std::string_view tag) {
  if (tag == "float" && resolved.is_number_integer() && !resolved.is_number_unsigned()) {
    return resolved.get<double>();
  }
  const bool fits = (tag == "int" && resolved.is_number_integer()) || (tag == "float" && resolved.is_number_float()) ||
                    (tag == "bool" && resolved.is_boolean()) || (tag == "null" && resolved.is_null());
  if (!fits) return fail(Code::kInvalid, "the value is not a !!" + std::string(tag));
  return resolved;
}

// base60: [-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?, a number to some YAML 1.1 readers.
bool looks_like_base60(std::string_view text) {
  const auto is_digit_or_line = [](char c) { return is_digit(c) || c == '_'; };
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  if (text.empty() || !is_digit(text[0])) return false;
  while (!text.empty() && is_digit_or_line(text[0])) text.remove_prefix(1);
  if (!text.starts_with(':')) return false;
  while (text.starts_with(':')) {
    text.remove_prefix(1);
    if (text.size() >= 2 && text[0] <= '5' && is_digit(text[0]) && is_digit(text[1])) text.remove_prefix(1);
    if (text.empty() || !is_digit(text[0])) return false;
    text.remove_prefix(1);
  }
  if (text.empty()) return true;
  return text[0] == '.' && std::all_of(text.begin() + 1, text.end(), is_digit_or_line);
}

// A number as Go's %g writes it, in the shortest digits for its precision.
template <class Number>
std::string general_format(Number value) {
  if (std::isnan(value)) return ".nan";
  if (std::isinf(value)) return value < 0 ? "-.inf" : ".inf";
  std::array<char, 400> buffer{};
  const Number size = std::abs(value);
  const bool plain = size == 0 || (size >= Number(1e-4) && size < Number(1e6));
  const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format);
  return {buffer.data(), end};
}

}  // namespace

Result<Json> resolve_scalar(std::string_view tag, std::string_view text) {
  if (tag.empty()) return resolve_untagged(text);
  const std::string_view name = tag.starts_with(kTagPrefix) ? tag.substr(kTagPrefix.size()) : "";
  if (name == "binary") return resolve_binary(text);
  if (name == "int" || name == "float" || name == "bool" || name == "null") {
    return expect_tag(resolve_untagged(text), name);
  }
  if (name == "timestamp" && !is_timestamp(text)) return fail(Code::kInvalid, "the value is not a !!timestamp");
  return text;
}

Result<Json> scalar_to_json(Json scalar) {
  if (scalar.is_number_unsigned()) return scalar.get<double>();
  if (!scalar.is_number_float()) return scalar;
  if (!std::isfinite(scalar.get<double>())) {
    return fail(Code::kInvalid, "an infinite number or NaN cannot be written in JSON");
  }
  const std::string digits = dump_go(scalar);
  std::int64_t integer = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), integer);
  if (error == std::errc() && end == digits.data() + digits.size()) return integer;
  return scalar;
}

Result<std::string> scalar_to_key(const Json& scalar) {
  if (scalar.is_string()) return scalar.get_ref<const std::string&>();
  // Go writes these in the digits of a float.
  if (scalar.is_number_float()) return general_format(static_cast<float>(scalar.get<double>()));
  if (scalar.is_boolean() || (scalar.is_number_integer() && !scalar.is_number_unsigned())) return dump_go(scalar);
  return fail(Code::kInvalid, "a key must be a string, a number or a boolean");
}

bool is_plain_string(std::string_view text) {
  // "<<" is a string as a value, but as a key it would merge.
  if (text.empty() || text == "<<" || looks_like_base60(text) || is_timestamp(text)) return false;
  return resolve_untagged(text).is_string();
}

std::string yaml_number(double value) { return general_format(value); }

}  // namespace landfall::json
