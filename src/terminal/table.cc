#include "terminal/table.h"

#include <algorithm>

#include "terminal/text_width.h"

namespace landfall::terminal {
namespace {

constexpr std::size_t kPadding = 3;
constexpr std::size_t kLeastWidth = 6;

}  // namespace

void Table::add(std::vector<std::string> cells) {
  cells.resize(headers_.size());
  for (std::string& cell : cells) {
    cell = printable(cell);
  }
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  if (rows_.empty()) {
    return {};
  }
  std::vector<std::size_t> widths(headers_.size(), 0);
  const auto measure = [&](const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      widths[i] = std::max({widths[i], text_width(cells[i]) + kPadding, kLeastWidth});
    }
  };
  measure(headers_);
  std::ranges::for_each(rows_, measure);

  std::string text;
  const auto print = [&](const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      text += cells[i];
      if (i + 1 < cells.size()) {
        text.append(widths[i] - text_width(cells[i]), ' ');
      }
    }
    text += '\n';
  };
  print(headers_);
  std::ranges::for_each(rows_, print);
  return text;
}

}  // namespace landfall::terminal
