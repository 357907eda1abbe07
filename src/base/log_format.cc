#include "base/log_format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <map>

#include "base/quote.h"
#include "base/rfc3339.h"

namespace landfall {
namespace {

// What a value may hold besides letters and digits without being quoted.
constexpr std::string_view kMarks = "-._/@^+";

using Fields = std::map<std::string, LogField::Value, std::less<>>;

// The fields by name, out of the way of the names that every line has.
Fields sorted_fields(const LogEntry& entry) {
  Fields fields;
  for (const LogField& field : entry.fields) {
    fields.insert_or_assign(field.key, field.value);
  }
  for (const std::string_view reserved : {"time", "msg", "level", "logrus_error"}) {
    if (auto clash = fields.extract(std::string(reserved)); !clash.empty()) {
      fields.insert_or_assign("fields." + clash.key(), std::move(clash.mapped()));
    }
  }
  return fields;
}

// The fewest digits that read back as the same number: 0.DIGITS times ten to the `point`.
struct Decimal {
  bool negative;
  std::string digits;
  int point;
};

Decimal shortest(double number) {
  std::array<char, 32> buffer{};
  const auto written = std::to_chars(buffer.begin(), buffer.end(), std::abs(number), std::chars_format::scientific);
  const std::string_view text(buffer.data(), written.ptr);
  const std::size_t e = text.find('e');
  int exponent = 0;
  const std::size_t skip = text[e + 1] == '+' ? 2 : 1;
  std::from_chars(text.data() + e + skip, text.data() + text.size(), exponent);
  std::string digits(text.substr(0, e));
  std::erase(digits, '.');
  return {.negative = std::signbit(number), .digits = digits, .point = exponent + 1};
}

std::string with_exponent(const Decimal& number, std::size_t exponent_digits) {
  const int exponent = number.point - 1;
  std::string size = std::to_string(std::abs(exponent));
  size.insert(0, exponent_digits - std::min(exponent_digits, size.size()), '0');
  return number.digits.substr(0, 1) + (number.digits.size() > 1 ? "." + number.digits.substr(1) : "") +
         (exponent < 0 ? "e-" : "e+") + size;
}

std::string without_exponent(const Decimal& number) {
  const auto length = static_cast<int>(number.digits.size());
  if (number.point <= 0) {
    return "0." + std::string(static_cast<std::size_t>(-number.point), '0') + number.digits;
  }
  if (number.point >= length) {
    return number.digits + std::string(static_cast<std::size_t>(number.point - length), '0');
  }
  const auto point = static_cast<std::size_t>(number.point);
  return number.digits.substr(0, point) + "." + number.digits.substr(point);
}

// As Go's %v: an exponent below 1e-4 and from 1e6 on.
std::string float_text(double number) {
  if (std::isnan(number)) {
    return "NaN";
  }
  if (std::isinf(number)) {
    return number > 0 ? "+Inf" : "-Inf";
  }
  const Decimal decimal = shortest(number);
  const bool exponent = number != 0 && (decimal.point < -3 || decimal.point > 6);
  return (decimal.negative ? "-" : "") + (exponent ? with_exponent(decimal, 2) : without_exponent(decimal));
}

// As Go's JSON encoder: an exponent below 1e-6 and from 1e21 on, written short when it is negative.
std::string float_json(double number) {
  if (!std::isfinite(number)) {
    return "null";
  }
  const Decimal decimal = shortest(number);
  const bool exponent = number != 0 && (std::abs(number) < 1e-6 || std::abs(number) >= 1e21);
  return (decimal.negative ? "-" : "") + (exponent ? with_exponent(decimal, 1) : without_exponent(decimal));
}

std::string value_text(const LogField::Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    return *text;
  }
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    return std::to_string(*number);
  }
  if (const auto* number = std::get_if<double>(&value)) {
    return float_text(*number);
  }
  return std::get<bool>(value) ? "true" : "false";
}

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         kMarks.find(c) != std::string_view::npos;
}

void append_pair(std::string& out, std::string_view key, std::string_view value) {
  if (!out.empty()) {
    out += ' ';
  }
  out += key;
  out += '=';
  if (std::ranges::all_of(value, is_plain)) {
    out += value;
  } else {
    append_quoted(out, value);
  }
}

}  // namespace

std::string format_text(const LogEntry& entry) {
  std::string out;
  append_pair(out, "time", format_rfc3339(entry.time));
  append_pair(out, "level", to_string(entry.level));
  if (!entry.message.empty()) {
    append_pair(out, "msg", entry.message);
  }
  for (const auto& [key, value] : sorted_fields(entry)) {
    append_pair(out, key, value_text(value));
  }
  out += '\n';
  return out;
}

std::string format_json(const LogEntry& entry) {
  Fields fields = sorted_fields(entry);
  fields.insert_or_assign("time", format_rfc3339(entry.time));
  fields.insert_or_assign("level", std::string(to_string(entry.level)));
  fields.insert_or_assign("msg", entry.message);
  std::string out = "{";
  for (const auto& [key, value] : fields) {
    if (out.size() > 1) {
      out += ',';
    }
    append_json_string(out, key);
    out += ':';
    if (const auto* text = std::get_if<std::string>(&value)) {
      append_json_string(out, *text);
    } else if (const auto* number = std::get_if<double>(&value)) {
      out += float_json(*number);
    } else {
      out += value_text(value);
    }
  }
  out += "}\n";
  return out;
}

}  // namespace landfall
