#include "terminal/text_width.h"

#include <array>

#include "base/utf8.h"

namespace landfall::terminal {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// Blocks whose characters take two columns (Unicode's East Asian Width W and F), and those that take none. Whole
// blocks: a rare character that is off by one costs a crooked column, not a wrong word.
constexpr std::array kWide = std::to_array<Range>({{0x1100, 0x115F},
                                                   {0x2E80, 0x303E},
                                                   {0x3041, 0x33FF},
                                                   {0x3400, 0x4DBF},
                                                   {0x4E00, 0x9FFF},
                                                   {0xA000, 0xA4CF},
                                                   {0xAC00, 0xD7A3},
                                                   {0xF900, 0xFAFF},
                                                   {0xFE30, 0xFE6F},
                                                   {0xFF00, 0xFF60},
                                                   {0xFFE0, 0xFFE6},
                                                   {0x1F300, 0x1F64F},
                                                   {0x1F680, 0x1F6FF},
                                                   {0x1F900, 0x1F9FF},
                                                   {0x20000, 0x3FFFD}});
constexpr std::array kZero = std::to_array<Range>(
    {{0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}});

template <std::size_t N>
bool is_in(const std::array<Range, N>& ranges, char32_t rune) {
  for (const Range& range : ranges) {
    if (rune >= range.first && rune <= range.last) {
      return true;
    }
  }
  return false;
}

std::size_t width_of(char32_t rune) { return is_in(kZero, rune) ? 0 : is_in(kWide, rune) ? 2 : 1; }

}  // namespace

std::size_t text_width(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const Rune rune = first_rune(text);
    columns += width_of(rune.value);
    text.remove_prefix(rune.size);
  }
  return columns;
}

std::string_view fit_width(std::string_view text, std::size_t columns) {
  std::size_t used = 0;
  std::size_t bytes = 0;
  while (bytes < text.size()) {
    const Rune rune = first_rune(text.substr(bytes));
    used += width_of(rune.value);
    if (used > columns) {
      break;
    }
    bytes += rune.size;
  }
  return text.substr(0, bytes);
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Rune rune = first_rune(text);
    if (rune.valid && is_printable(rune.value)) {
      out += text.substr(0, rune.size);
    } else {
      out += "\uFFFD";
    }
    text.remove_prefix(rune.size);
  }
  return out;
}

}  // namespace landfall::terminal
