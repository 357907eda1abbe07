#include "base/go_duration.h"

#include <array>
#include <cstdint>
#include <optional>

#include "base/strings.h"

namespace landfall {
namespace {

// The magnitude of the most negative duration. Everything is added up without its sign, as the negative side is longer.
constexpr std::uint64_t kMost = std::uint64_t{1} << 63U;

constexpr std::uint64_t kMinute = 60'000'000'000;
constexpr std::uint64_t kHour = 60 * kMinute;

struct Unit {
  std::string_view name;
  std::uint64_t nanos;
};

constexpr std::array<Unit, 8> kUnits = {{{"ns", 1},
                                         {"us", 1'000},
                                         {"\u00B5s", 1'000},  // micro sign
                                         {"\u03BCs", 1'000},  // Greek letter mu
                                         {"ms", 1'000'000},
                                         {"s", 1'000'000'000},
                                         {"m", kMinute},
                                         {"h", kHour}}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view take_digits(std::string_view& rest) {
  std::size_t size = 0;
  while (size < rest.size() && is_digit(rest[size])) {
    ++size;
  }
  const std::string_view digits = rest.substr(0, size);
  rest.remove_prefix(size);
  return digits;
}

std::string_view take_unit(std::string_view& rest) {
  std::size_t size = 0;
  while (size < rest.size() && !is_digit(rest[size]) && rest[size] != '.') {
    ++size;
  }
  const std::string_view unit = rest.substr(0, size);
  rest.remove_prefix(size);
  return unit;
}

// The digits as a number, or nothing past kMost.
std::optional<std::uint64_t> whole_number(std::string_view digits) {
  std::uint64_t number = 0;
  for (const char c : digits) {
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (number > (kMost - digit) / 10) {
      return std::nullopt;
    }
    number = number * 10 + digit;
  }
  return number;
}

// 0.DIGITS of a unit in nanoseconds. In floating point, operation by operation as Go does it: the results have to
// agree.
std::uint64_t fraction_of(std::string_view digits, std::uint64_t unit) {
  std::uint64_t number = 0;
  double scale = 1;
  for (const char c : digits) {
    if (number > (kMost - 1) / 10) {
      break;  // digits that no duration can show
    }
    const std::uint64_t next = number * 10 + static_cast<std::uint64_t>(c - '0');
    if (next > kMost) {
      break;
    }
    number = next;
    scale *= 10;
  }
  return static_cast<std::uint64_t>(static_cast<double>(number) * (static_cast<double>(unit) / scale));
}

// Reads one number with its unit off the front. The error says what is wrong with it.
Result<std::uint64_t> take_part(std::string_view& rest) {
  const std::string_view whole = take_digits(rest);
  std::string_view fraction;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    fraction = take_digits(rest);
  }
  if (whole.empty() && fraction.empty()) {
    return fail(Code::kInvalid, "expected a number before " + quote(rest));
  }
  const std::string_view name = take_unit(rest);
  if (name.empty()) {
    return fail(Code::kInvalid, "a number has no unit: use h, m, s, ms, us or ns");
  }
  for (const Unit& unit : kUnits) {
    if (unit.name == name) {
      const std::optional<std::uint64_t> count = whole_number(whole);
      if (!count || *count > kMost / unit.nanos) {
        return fail(Code::kInvalid, "longer than 292 years");
      }
      return *count * unit.nanos + fraction_of(fraction, unit.nanos);
    }
  }
  return fail(Code::kInvalid, "unknown unit " + quote(name) + ": use h, m, s, ms, us or ns");
}

Result<std::uint64_t> sum_parts(std::string_view rest) {
  if (rest.empty()) {
    return fail(Code::kInvalid, "expected a number and a unit, such as 1h30m");
  }
  std::uint64_t sum = 0;
  while (!rest.empty()) {
    TRY_ASSIGN(const std::uint64_t part, "", take_part(rest));
    if (part > kMost - sum) {
      return fail(Code::kInvalid, "longer than 292 years");
    }
    sum += part;
  }
  return sum;
}

// The number, then up to `places` digits of what follows the point, without trailing zeros.
std::string decimal(std::uint64_t number, unsigned places) {
  std::string digits;
  for (; places > 0; --places) {
    if (number % 10 != 0 || !digits.empty()) {
      digits.insert(digits.begin(), static_cast<char>('0' + number % 10));
    }
    number /= 10;
  }
  return std::to_string(number) + (digits.empty() ? "" : "." + digits);
}

std::string format_magnitude(std::uint64_t nanos) {
  if (nanos < 1'000) {
    return std::to_string(nanos) + "ns";
  }
  if (nanos < 1'000'000) {
    return decimal(nanos, 3) + "\u00B5s";
  }
  if (nanos < 1'000'000'000) {
    return decimal(nanos, 6) + "ms";
  }
  std::string out = decimal(nanos % kMinute, 9) + "s";
  if (nanos >= kMinute) {
    out.insert(0, std::to_string(nanos % kHour / kMinute) + "m");
  }
  if (nanos >= kHour) {
    out.insert(0, std::to_string(nanos / kHour) + "h");
  }
  return out;
}

}  // namespace

Result<Duration> parse_go_duration(std::string_view text) {
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) {
    rest.remove_prefix(1);
  }
  if (rest == "0") {
    return Duration(0);
  }
  const auto context = [&] { return "invalid duration " + quote(text); };
  TRY_ASSIGN(const std::uint64_t magnitude, context(), sum_parts(rest));
  if (!negative && magnitude == kMost) {
    return fail(context(), Error(Code::kInvalid, "longer than 292 years"));
  }
  return Duration(static_cast<std::int64_t>(negative ? -magnitude : magnitude));
}

std::string format_go_duration(Duration duration) {
  const std::int64_t count = duration.count();
  if (count == 0) {
    return "0s";
  }
  const auto bits = static_cast<std::uint64_t>(count);
  return count < 0 ? "-" + format_magnitude(-bits) : format_magnitude(bits);
}

}  // namespace landfall
