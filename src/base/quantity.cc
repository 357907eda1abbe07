#include "base/quantity.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "base/strings.h"

namespace landfall {
namespace {

__extension__ using Int128 = __int128;
using Format = Quantity::Format;

constexpr Int128 kNanosPerUnit = 1'000'000'000;
// Half of what the type holds, so that a sum of two can be checked after it was made.
constexpr Int128 kLimit = Int128{80'000'000'000} * 1'000'000'000'000'000'000 * 1'000'000'000;
constexpr Int128 kBinaryLimit = Int128{std::numeric_limits<std::int64_t>::max()} * kNanosPerUnit;

struct Suffix {
  Format format = Format::kDecimalSi;
  std::int64_t exponent = 0;  // of ten, or of two for kBinarySi
};

struct Named {
  std::string_view name;
  Suffix suffix;
};

constexpr std::array<Named, 16> kSuffixes = {{{"n", {Format::kDecimalSi, -9}},
                                              {"u", {Format::kDecimalSi, -6}},
                                              {"m", {Format::kDecimalSi, -3}},
                                              {"", {Format::kDecimalSi, 0}},
                                              {"k", {Format::kDecimalSi, 3}},
                                              {"M", {Format::kDecimalSi, 6}},
                                              {"G", {Format::kDecimalSi, 9}},
                                              {"T", {Format::kDecimalSi, 12}},
                                              {"P", {Format::kDecimalSi, 15}},
                                              {"E", {Format::kDecimalSi, 18}},
                                              {"Ki", {Format::kBinarySi, 10}},
                                              {"Mi", {Format::kBinarySi, 20}},
                                              {"Gi", {Format::kBinarySi, 30}},
                                              {"Ti", {Format::kBinarySi, 40}},
                                              {"Pi", {Format::kBinarySi, 50}},
                                              {"Ei", {Format::kBinarySi, 60}}}};

std::string_view name_of(Format format, int exponent) {
  const auto* const found = std::ranges::find_if(kSuffixes, [&](const Named& named) {
    return named.suffix.format == format && named.suffix.exponent == exponent;
  });
  return found == kSuffixes.end() ? "" : found->name;
}

std::optional<Suffix> read_suffix(std::string_view text) {
  for (const Named& named : kSuffixes) {
    if (named.name == text) {
      return named.suffix;
    }
  }
  if (!text.starts_with('e') && !text.starts_with('E')) {
    return std::nullopt;
  }
  const Result<std::int64_t> exponent = parse_int64(text.substr(1));
  if (!exponent) {
    return std::nullopt;
  }
  return Suffix{.format = Format::kDecimalExponent, .exponent = *exponent};
}

// The parts of a text, none of them checked beyond their characters.
struct Parts {
  bool negative = false;
  bool has_digits = false;
  std::string whole;     // without leading zeros, but never empty
  std::string fraction;  // the digits after the point
  std::string_view suffix;
};

std::string_view take_digits(std::string_view& rest) {
  const std::size_t size = std::min(rest.find_first_not_of("0123456789"), rest.size());
  const std::string_view digits = rest.substr(0, size);
  rest.remove_prefix(size);
  return digits;
}

Parts split_parts(std::string_view text) {
  Parts parts;
  parts.negative = text.starts_with('-');
  if (parts.negative || text.starts_with('+')) {
    text.remove_prefix(1);
  }
  std::string_view whole = take_digits(text);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    parts.fraction = take_digits(text);
  }
  parts.has_digits = !whole.empty() || !parts.fraction.empty();
  whole.remove_prefix(std::min(whole.find_first_not_of('0'), whole.size()));
  parts.whole = whole.empty() ? "0" : whole;
  parts.suffix = text;
  return parts;
}

bool has_nonzero(std::string_view digits) { return digits.find_first_not_of('0') != std::string_view::npos; }

// number * 10 + digit, or nothing past the limit.
std::optional<Int128> append_digit(Int128 number, char digit) {
  if (number > kLimit / 10 - 1) {
    return std::nullopt;
  }
  return number * 10 + (digit - '0');
}

// The billionths in `digits` (whole and fraction together) with the point at `point`; a rest rounds up.
std::optional<Int128> decimal_nanos(std::string_view digits, std::int64_t point) {
  const std::string_view significant = digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
  if (significant.empty()) {
    return 0;
  }
  const auto leading = static_cast<std::int64_t>(digits.size() - significant.size());
  const std::int64_t keep = point + 9 - leading;
  Int128 nanos = 0;
  for (std::int64_t i = 0; i < keep; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const auto next = append_digit(nanos, at < significant.size() ? significant[at] : '0');
    if (!next) {
      return std::nullopt;  // soon, since the first digit is not zero
    }
    nanos = *next;
  }
  const auto kept = static_cast<std::size_t>(std::max<std::int64_t>(keep, 0));
  return kept < significant.size() && has_nonzero(significant.substr(kept)) ? nanos + 1 : nanos;
}

// The billionths in whole.fraction times two to the `exponent`, capped; a rest rounds up. Exact for any number of
// digits.
Int128 binary_nanos(std::string_view whole_digits, std::string fraction, std::int64_t exponent) {
  Int128 whole = 0;
  for (const char digit : whole_digits) {
    const auto next = append_digit(whole, digit);
    if (!next) {
      return kBinaryLimit;
    }
    whole = *next;
  }
  for (; exponent > 0 && whole <= kBinaryLimit; exponent -= 10) {
    int carry = 0;
    for (std::size_t i = fraction.size(); i > 0; --i) {
      const int product = (fraction[i - 1] - '0') * 1024 + carry;
      fraction[i - 1] = static_cast<char>('0' + product % 10);
      carry = product / 10;
    }
    whole = whole * 1024 + carry;
  }
  if (whole >= kBinaryLimit / kNanosPerUnit) {
    return kBinaryLimit;
  }
  fraction.resize(std::max<std::size_t>(fraction.size(), 9), '0');
  Int128 nanos = whole * kNanosPerUnit;
  Int128 place = kNanosPerUnit / 10;
  for (const char digit : std::string_view(fraction).substr(0, 9)) {
    nanos += place * (digit - '0');
    place /= 10;
  }
  return has_nonzero(std::string_view(fraction).substr(9)) ? nanos + 1 : nanos;
}

// Kubernetes has a short cut for numbers of few digits. It shows: only there a text can be printed as it was read, and
// only there a number may have no digits at all.
bool takes_short_cut(const Parts& parts, const Suffix& suffix) {
  const auto whole = static_cast<std::int64_t>(parts.whole.size());
  const auto fraction = static_cast<std::int64_t>(parts.fraction.size());
  if (suffix.format == Format::kBinarySi) {
    return fraction == 0 && 15 - whole - suffix.exponent * 3 / 10 - 1 >= 0;
  }
  return whole + fraction <= 18 && suffix.exponent >= fraction - 9;
}

// Whether a text that took the short cut is printed as it was read.
bool keeps_text(const Parts& parts, const Suffix& suffix) {
  if (suffix.format == Format::kBinarySi) {
    return *parse_int64(parts.whole) % 8 != 0;
  }
  const std::string digits = parts.whole + parts.fraction;
  const std::int64_t scale = suffix.exponent - static_cast<std::int64_t>(parts.fraction.size());
  return scale % 3 == 0 && !digits.ends_with("000") && !digits.starts_with('0');
}

std::string int_text(Int128 number) {
  std::string digits;
  for (Int128 rest = number < 0 ? -number : number; rest > 0; rest /= 10) {
    digits += static_cast<char>('0' + static_cast<int>(rest % 10));
  }
  if (number < 0) {
    digits += '-';
  }
  return {digits.rbegin(), digits.rend()};
}

std::string binary_text(Int128 units) {
  int exponent = 0;
  while (units % 1024 == 0 && exponent < 60) {
    units /= 1024;
    exponent += 10;
  }
  return int_text(units) + std::string(name_of(Format::kBinarySi, exponent));
}

std::string decimal_text(Int128 nanos, Format format) {
  int exponent = -9;
  while (nanos % 1000 == 0 && (format == Format::kDecimalExponent || exponent < 18)) {
    nanos /= 1000;
    exponent += 3;
  }
  if (format == Format::kDecimalExponent) {
    return int_text(nanos) + (exponent == 0 ? "" : "e" + std::to_string(exponent));
  }
  return int_text(nanos) + std::string(name_of(Format::kDecimalSi, exponent));
}

// Rounded away from zero, within int64.
std::int64_t divide_up(Int128 nanos, Int128 unit) {
  const Int128 quotient = nanos / unit + (nanos % unit > 0 ? 1 : 0) - (nanos % unit < 0 ? 1 : 0);
  return static_cast<std::int64_t>(
      std::clamp<Int128>(quotient, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()));
}

}  // namespace

Quantity Quantity::of(std::int64_t value, Format format) {
  Quantity quantity;
  quantity.nanos_ = value * kNanosPerUnit;
  quantity.format_ = format;
  return quantity;
}

Result<Quantity> Quantity::parse(std::string_view text) {
  const auto invalid = [&](const std::string& why) {
    return fail(Code::kInvalid, "invalid quantity " + quote(text) + ": " + why);
  };
  if (text.empty()) {
    return invalid("it is empty; write a number such as 500m or 1.5Gi");
  }
  const Parts parts = split_parts(text);
  const std::optional<Suffix> suffix = read_suffix(parts.suffix);
  if (!suffix) {
    return invalid("unknown suffix " + quote(parts.suffix) +
                   "; use one of n u m k M G T P E, Ki Mi Gi Ti Pi Ei or an exponent such as e6");
  }
  const bool short_cut = takes_short_cut(parts, *suffix);
  if (!short_cut && !parts.has_digits) {
    return invalid("it has no digits");
  }

  Quantity quantity;
  quantity.format_ = suffix->format;
  if (suffix->format == Format::kBinarySi) {
    quantity.nanos_ = binary_nanos(parts.whole, parts.fraction, suffix->exponent);
    if (quantity.nanos_ < kNanosPerUnit && quantity.nanos_ > 0) {
      quantity.format_ = Format::kDecimalSi;
    }
  } else {
    // An exponent this far out only says "too large" or "next to nothing"; bounded, it can be added to.
    const std::int64_t exponent = std::clamp<std::int64_t>(suffix->exponent, -(1LL << 62), 1LL << 62);
    const auto point = static_cast<std::int64_t>(parts.whole.size()) + exponent;
    const std::optional<Int128> nanos = decimal_nanos(parts.whole + parts.fraction, point);
    if (!nanos) {
      return invalid("it is larger than 8e28");
    }
    quantity.nanos_ = *nanos;
  }
  if (parts.negative) {
    quantity.nanos_ = -quantity.nanos_;
  }
  if (short_cut && keeps_text(parts, *suffix)) {
    quantity.text_ = text;
  }
  return quantity;
}

std::string Quantity::to_string() const {
  if (!text_.empty()) {
    return text_;
  }
  if (nanos_ == 0) {
    return "0";
  }
  if (format_ == Format::kBinarySi) {
    const bool small = nanos_ > -1024 * kNanosPerUnit && nanos_ < 1024 * kNanosPerUnit;
    if (!small && nanos_ % kNanosPerUnit == 0) {
      return binary_text(nanos_ / kNanosPerUnit);
    }
    return decimal_text(nanos_, Format::kDecimalSi);
  }
  return decimal_text(nanos_, format_);
}

std::int64_t Quantity::value() const { return divide_up(nanos_, kNanosPerUnit); }
std::int64_t Quantity::milli_value() const { return divide_up(nanos_, kNanosPerUnit / 1000); }

Quantity& Quantity::operator+=(const Quantity& other) {
  if (nanos_ == 0) {
    format_ = other.format_;
  }
  text_.clear();
  nanos_ = std::clamp(nanos_ + other.nanos_, -kLimit, kLimit);
  return *this;
}

Quantity& Quantity::operator-=(const Quantity& other) {
  Quantity negated = other;
  negated.nanos_ = -negated.nanos_;
  return *this += negated;
}

}  // namespace landfall
