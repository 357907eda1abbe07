#include "terminal/tab_text.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/strings.h"
#include "terminal/text_width.h"

namespace landfall::terminal {
namespace {

constexpr std::size_t kPadding = 2;

using Line = std::vector<std::string_view>;

bool has_column(const Line& line, std::size_t column) { return column + 1 < line.size(); }

// The width of each cell, column by column: a run of lines that all have the column shares one.
std::vector<std::vector<std::size_t>> widths_of(const std::vector<Line>& lines) {
  std::vector<std::vector<std::size_t>> widths(lines.size());
  std::size_t columns = 0;
  for (const Line& line : lines) columns = std::max(columns, line.size() - 1);
  for (std::size_t column = 0; column < columns; ++column) {
    std::size_t first = 0;
    while (first < lines.size()) {
      if (!has_column(lines[first], column)) {
        ++first;
        continue;
      }
      std::size_t last = first;
      std::size_t width = 0;
      for (; last < lines.size() && has_column(lines[last], column); ++last) {
        width = std::max(width, text_width(lines[last][column]) + kPadding);
      }
      for (; first < last; ++first) widths[first].push_back(width);
    }
  }
  return widths;
}

}  // namespace

std::string align_tabs(std::string_view text) {
  std::vector<Line> lines;
  for (const std::string_view line : split(text, '\n')) lines.push_back(split(line, '\t'));
  const auto widths = widths_of(lines);
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (std::size_t cell = 0; cell < lines[i].size(); ++cell) {
      out += lines[i][cell];
      if (has_column(lines[i], cell)) out.append(widths[i][cell] - text_width(lines[i][cell]), ' ');
    }
    if (i + 1 < lines.size()) out += '\n';
  }
  return out;
}

}  // namespace landfall::terminal
