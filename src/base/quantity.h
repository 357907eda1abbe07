#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace landfall {

// An amount as Kubernetes writes it in requests, limits and capacities: "100m", "1.5Gi", "12e6".
//
// A value with the meaning and the text of Kubernetes' resource.Quantity, held exactly in billionths between ±8e28;
// a finer amount is rounded away from zero, as there. Where Kubernetes itself fails, past 2^63, this type does not:
//   - value() and milli_value() stop at the ends of int64 (there: 0 or garbage);
//   - an amount past E or Ei keeps that suffix (there: "1000E" comes back as "1");
//   - an amount past the limit is refused.
class Quantity {
 public:
  // How it was written, and so how it is printed. An amount that a binary suffix cannot show is printed as kDecimalSi.
  enum class Format { kDecimalSi, kBinarySi, kDecimalExponent };

  Quantity() = default;
  static Quantity of(std::int64_t value, Format format = Format::kDecimalSi);

  // <number><suffix>, where the number may have a sign, a fraction, or a bare point at either end, and the suffix is
  // one of n u m k M G T P E, Ki Mi Gi Ti Pi Ei, an exponent (e3, E-3), or nothing. Like Kubernetes it takes a missing
  // number for 0 ("m" is zero) and caps an amount with a binary suffix at 2^63-1.
  static Result<Quantity> parse(std::string_view text);

  // As Kubernetes would print it: the largest suffix that leaves a whole number. Some texts that are not in that form
  // come back as they were read, as in Kubernetes: "1.500", "+5", "1E3".
  std::string to_string() const;

  // Whole units, or thousandths, rounded away from zero.
  std::int64_t value() const;
  std::int64_t milli_value() const;

  bool is_zero() const { return nanos_ == 0; }
  Format format() const { return format_; }

  // The result is printed like the left side, unless that is zero. Stops at the limit. A sum past 2^63-1 keeps a binary
  // suffix, although parse() would cap that text.
  Quantity& operator+=(const Quantity& other);
  Quantity& operator-=(const Quantity& other);
  friend Quantity operator+(Quantity a, const Quantity& b) { return a += b; }
  friend Quantity operator-(Quantity a, const Quantity& b) { return a -= b; }

  // By amount alone: 1Gi equals 1024Mi.
  friend bool operator==(const Quantity& a, const Quantity& b) { return a.nanos_ == b.nanos_; }
  friend auto operator<=>(const Quantity& a, const Quantity& b) { return a.nanos_ <=> b.nanos_; }

 private:
  __extension__ using Int128 = __int128;

  Int128 nanos_ = 0;
  Format format_ = Format::kDecimalSi;
  std::string text_;  // what was read, if it is printed unchanged
};

}  // namespace landfall
