#include "json/natural_order.h"

#include <cstdint>

namespace landfall::json {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Beyond ASCII nearly everything in a key is a letter.
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}

// A run of digits from a place on; the value wraps around for very long runs, as in Go.
struct Number {
  std::uint64_t value = 0;
  std::size_t end = 0;
};

Number number_at(std::string_view text, std::size_t start, std::uint64_t value) {
  Number number{.value = value, .end = start};
  while (number.end < text.size() && is_digit(text[number.end])) {
    number.value = number.value * 10 + static_cast<std::uint64_t>(text[number.end] - '0');
    ++number.end;
  }
  return number;
}

// Zeros count only after another digit: 100 is more than 10, but 00 is not more than 0.
bool zeros_count(std::string_view text, std::size_t start) {
  for (std::size_t i = start; i > 0 && is_digit(text[i - 1]); --i) {
    if (text[i - 1] != '0') return true;
  }
  return false;
}

}  // namespace

bool naturally_less(std::string_view a, std::string_view b) {
  const std::size_t shorter = std::min(a.size(), b.size());
  std::size_t i = 0;
  while (i < shorter && a[i] == b[i]) ++i;
  if (i == shorter) return a.size() < b.size();
  const bool a_is_letter = is_letter(a[i]);
  const bool b_is_letter = is_letter(b[i]);
  const bool byte_less = static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[i]);
  if (a_is_letter && b_is_letter) return byte_less;
  if (a_is_letter || b_is_letter) return b_is_letter;
  const std::uint64_t before = (a[i] == '0' || b[i] == '0') && zeros_count(a, i) ? 1 : 0;
  const Number in_a = number_at(a, i, before);
  const Number in_b = number_at(b, i, before);
  if (in_a.value != in_b.value) return static_cast<std::int64_t>(in_a.value) < static_cast<std::int64_t>(in_b.value);
  if (in_a.end != in_b.end) return in_a.end < in_b.end;
  return byte_less;
}

}  // namespace landfall::json
