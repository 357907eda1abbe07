#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/quote.h"
#include "json/json.h"
#include "json/parse.h"

namespace landfall::json {
namespace {

std::string write(const Json& document, int indent) {
  return document.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// The shortest digits that read back as the same double, and the power of ten of the first digit.
struct Decimal {
  std::string digits;
  int exponent = 0;
};

Decimal shortest_decimal(double positive) {
  std::array<char, 32> buffer{};
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), positive, std::chars_format::scientific);
  Decimal decimal;
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  const auto e = text.find('e');
  for (const char c : text.substr(0, e)) {
    if (c != '.') decimal.digits += c;
  }
  std::string_view exponent = text.substr(e + 1);
  if (exponent.starts_with('+')) exponent.remove_prefix(1);  // from_chars reads no plus sign
  std::from_chars(exponent.data(), exponent.data() + exponent.size(), decimal.exponent);
  return decimal;
}

std::string without_exponent(const Decimal& decimal) {
  const int digits = static_cast<int>(decimal.digits.size());
  const int before_point = decimal.exponent + 1;
  if (before_point <= 0) return "0." + std::string(static_cast<std::size_t>(-before_point), '0') + decimal.digits;
  if (before_point >= digits) return decimal.digits + std::string(static_cast<std::size_t>(before_point - digits), '0');
  std::string out = decimal.digits;
  return out.insert(static_cast<std::size_t>(before_point), 1, '.');
}

std::string with_exponent(const Decimal& decimal) {
  std::string out = decimal.digits.substr(0, 1);
  if (decimal.digits.size() > 1) out += "." + decimal.digits.substr(1);
  return out + (decimal.exponent < 0 ? "e-" : "e+") + std::to_string(std::abs(decimal.exponent));
}

// A writer with encoding/json's choices. Recurses no deeper than kMaxDepth for documents from outside.
class GoWriter {
 public:
  std::string take() { return std::move(out_); }

  void value(const Json& value) {
    switch (value.type()) {
      case Json::value_t::object:
        return object(value);
      case Json::value_t::array:
        return array(value);
      case Json::value_t::string:
        return append_json_string(out_, value.get_ref<const std::string&>());
      case Json::value_t::number_integer:
        out_ += std::to_string(value.get<std::int64_t>());
        return;
      case Json::value_t::number_unsigned:
        out_ += std::to_string(value.get<std::uint64_t>());
        return;
      case Json::value_t::number_float:
        return number(value.get<double>());
      case Json::value_t::boolean:
        out_ += value.get<bool>() ? "true" : "false";
        return;
      case Json::value_t::null:
      case Json::value_t::binary:
      case Json::value_t::discarded:
        out_ += "null";
    }
  }

 private:
  void object(const Json& value) {
    char separator = '{';
    for (const auto& [key, member] : value.get_ref<const Json::object_t&>()) {
      out_ += separator;
      separator = ',';
      append_json_string(out_, key);
      out_ += ':';
      this->value(member);
    }
    if (separator == '{') out_ += '{';
    out_ += '}';
  }

  void array(const Json& value) {
    char separator = '[';
    for (const Json& element : value) {
      out_ += separator;
      separator = ',';
      this->value(element);
    }
    if (separator == '[') out_ += '[';
    out_ += ']';
  }

  void number(double value) {
    if (!std::isfinite(value)) {
      out_ += "null";  // Go refuses these, and so does parse()
      return;
    }
    if (std::signbit(value)) out_ += '-';
    const double positive = std::abs(value);
    if (positive == 0) {
      out_ += '0';
      return;
    }
    const Decimal decimal = shortest_decimal(positive);
    out_ += positive < 1e-6 || positive >= 1e21 ? with_exponent(decimal) : without_exponent(decimal);
  }

  std::string out_;
};

}  // namespace

std::string dump(const Json& document) { return write(document, -1); }

std::string dump_pretty(const Json& document) { return write(document, 2); }

std::string dump_go(const Json& document) {
  GoWriter writer;
  writer.value(document);
  return writer.take();
}

}  // namespace landfall::json
