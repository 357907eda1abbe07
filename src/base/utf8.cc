#include "base/utf8.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace landfall {
namespace {

// What a first byte promises: how many bytes follow, its own bits, and the least value that needs that length.
struct Lead {
  std::size_t size;
  char32_t bits;
  char32_t least;
};

Lead lead_of(std::uint8_t byte) {
  if (byte < 0x80) {
    return {.size = 1, .bits = byte, .least = 0};
  }
  if (byte >= 0xC0 && byte < 0xE0) {
    return {.size = 2, .bits = byte & 0x1FU, .least = 0x80};
  }
  if (byte >= 0xE0 && byte < 0xF0) {
    return {.size = 3, .bits = byte & 0x0FU, .least = 0x800};
  }
  if (byte >= 0xF0 && byte < 0xF8) {
    return {.size = 4, .bits = byte & 0x07U, .least = 0x10000};
  }
  return {.size = 0, .bits = 0, .least = 0};
}

struct Range {
  char32_t first;
  char32_t last;
};

template <std::size_t N>
bool is_in(const std::array<Range, N>& ranges, char32_t rune) {
  return std::ranges::any_of(ranges, [&](const Range& range) { return rune >= range.first && rune <= range.last; });
}

constexpr std::array<Range, 10> kSpaces{{{0x09, 0x0D},
                                         {0x20, 0x20},
                                         {0x85, 0x85},
                                         {0xA0, 0xA0},
                                         {0x1680, 0x1680},
                                         {0x2000, 0x200A},
                                         {0x2028, 0x2029},
                                         {0x202F, 0x202F},
                                         {0x205F, 0x205F},
                                         {0x3000, 0x3000}}};

// Controls, format characters, spaces other than U+0020, surrogates, private use, and code points that stay unused.
constexpr std::array<Range, 27> kHidden{{{0x00, 0x1F},       {0x7F, 0xA0},       {0xAD, 0xAD},       {0x600, 0x605},
                                         {0x61C, 0x61C},     {0x6DD, 0x6DD},     {0x70F, 0x70F},     {0x890, 0x891},
                                         {0x8E2, 0x8E2},     {0x1680, 0x1680},   {0x180E, 0x180E},   {0x2000, 0x200F},
                                         {0x2028, 0x202F},   {0x205F, 0x206F},   {0x3000, 0x3000},   {0xD800, 0xF8FF},
                                         {0xFDD0, 0xFDEF},   {0xFEFF, 0xFEFF},   {0xFFF0, 0xFFFB},   {0xFFFE, 0xFFFF},
                                         {0x110BD, 0x110BD}, {0x110CD, 0x110CD}, {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3},
                                         {0x1D173, 0x1D17A}, {0xE0000, 0xE00FF}, {0xF0000, 0x10FFFF}}};

}  // namespace

Rune first_rune(std::string_view text) {
  const Lead lead = lead_of(static_cast<std::uint8_t>(text.front()));
  if (lead.size == 0 || lead.size > text.size()) {
    return {};
  }
  char32_t value = lead.bits;
  for (std::size_t i = 1; i < lead.size; ++i) {
    const auto byte = static_cast<std::uint8_t>(text[i]);
    if ((byte & 0xC0U) != 0x80) {
      return {};
    }
    value = (value << 6U) | (byte & 0x3FU);
  }
  if (value < lead.least || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) {
    return {};
  }
  return {.value = value, .size = lead.size, .valid = true};
}

bool is_valid_utf8(std::string_view text) {
  while (!text.empty()) {
    const Rune rune = first_rune(text);
    if (!rune.valid) {
      return false;
    }
    text.remove_prefix(rune.size);
  }
  return true;
}

std::string to_valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Rune rune = first_rune(text);
    out += rune.valid ? text.substr(0, rune.size) : std::string_view("\xEF\xBF\xBD");
    text.remove_prefix(rune.size);
  }
  return out;
}

bool is_space(char32_t rune) { return is_in(kSpaces, rune); }

bool is_printable(char32_t rune) {
  if (rune >= 0x20 && rune < 0x7F) {
    return true;
  }
  return !is_in(kHidden, rune);
}

}  // namespace landfall
