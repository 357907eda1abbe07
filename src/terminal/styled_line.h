#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace landfall::terminal {

enum class Style : std::uint8_t { kPlain, kBold, kDim, kGreen, kYellow, kRed };

// A piece of a line that looks the same all over.
struct Span {
  std::string text;
  Style style = Style::kPlain;

  friend bool operator==(const Span&, const Span&) = default;
};

// One line for a terminal, as values: how wide it may be and whether there are colours is decided when it is drawn.
using StyledLine = std::vector<Span>;

// The bytes of a line, cut to so many columns; without colours plain text. Texts are made printable, so that nothing in
// them can reach the terminal's controls.
std::string render(const StyledLine& line, std::size_t columns, bool has_colors);

}  // namespace landfall::terminal
