#include "terminal/live_block.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace landfall::terminal {
namespace {

constexpr std::string_view kEraseToEndOfLine = "\x1b[K";
constexpr std::string_view kEraseBelow = "\r\x1b[J";
// While it is drawn nothing wraps: the window may have become narrower since its size was looked up.
constexpr std::string_view kWrapOff = "\x1b[?7l";
constexpr std::string_view kWrapOn = "\x1b[?7h";

std::string cursor_by(std::size_t rows, char direction) {
  return rows == 0 ? "" : "\x1b[" + std::to_string(rows) + direction;
}

std::vector<std::string> rendered(const std::vector<StyledLine>& lines, const Terminal& size, bool has_colors) {
  const auto columns = static_cast<std::size_t>(std::max(size.columns - 1, 1));
  // One row stays free: where a window has as many rows as the block, some terminals scroll.
  const auto rows = static_cast<std::size_t>(std::max(size.rows - 1, 1));
  const std::size_t shown = lines.size() <= rows ? lines.size() : rows - 1;
  std::vector<std::string> result;
  result.reserve(shown + 1);
  for (std::size_t i = 0; i < shown; ++i) result.push_back(render(lines[i], columns, has_colors));
  if (shown < lines.size()) {
    const std::string more = "… " + std::to_string(lines.size() - shown) + " more: the window is too low";
    result.push_back(render({{more, Style::kDim}}, columns, has_colors));
  }
  return result;
}

}  // namespace

std::string LiveBlock::show(const std::vector<StyledLine>& lines, const Terminal& size) {
  std::vector<std::string> wanted = rendered(lines, size, has_colors_);
  std::string bytes;
  if (!drawn_.empty() && (size.columns != columns_ || size.rows != rows_)) bytes = clear();
  columns_ = size.columns;
  rows_ = size.rows;

  std::string changes;
  std::size_t row = 0;  // where the cursor is
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (i < drawn_.size() && wanted[i] == drawn_[i]) continue;
    // Rows that are there are gone down to; one that is not has to be made, which may scroll the window.
    const std::size_t last = drawn_.empty() ? 0 : drawn_.size() - 1;
    if (const std::size_t down = std::min(i, std::max(last, row)); down > row) {
      changes += cursor_by(down - row, 'B');
      row = down;
    }
    for (; row < i; ++row) changes += "\r\n";
    changes.append("\r").append(wanted[i]).append(kEraseToEndOfLine);
  }
  if (wanted.size() < drawn_.size()) {
    changes += cursor_by(wanted.size() - row, 'B');
    row = wanted.size();
    changes += kEraseBelow;
  }
  if (!changes.empty()) {
    bytes.append(kWrapOff).append(changes).append("\r").append(cursor_by(row, 'A')).append(kWrapOn);
  }
  drawn_ = std::move(wanted);
  return bytes;
}

std::string LiveBlock::clear() {
  if (drawn_.empty()) return "";
  drawn_.clear();
  return std::string(kEraseBelow);
}

}  // namespace landfall::terminal
