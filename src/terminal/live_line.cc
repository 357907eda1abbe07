#include "terminal/live_line.h"

#include <string>

#include "terminal/text_width.h"

namespace landfall::terminal {
namespace {

constexpr std::string_view kStartOfLine = "\r";
constexpr std::string_view kEraseToEnd = "\x1b[K";

}  // namespace

LiveLine::LiveLine(io::Writer& to, Terminal terminal, const Clock& clock)
    : to_(to), terminal_(terminal), clock_(clock), last_(clock.now()) {}

Status LiveLine::show(std::string_view text) {
  const std::string safe = printable(text);
  if (terminal_.is_terminal) {
    // A line that reaches the last column would wrap, and the next one would be drawn below it.
    const std::size_t columns = terminal_.columns > 1 ? static_cast<std::size_t>(terminal_.columns) - 1 : 1;
    is_drawn_ = true;
    return to_.write(std::string(kStartOfLine).append(fit_width(safe, columns)).append(kEraseToEnd));
  }
  if (clock_.now() - last_ < kPlainInterval) {
    return {};
  }
  last_ = clock_.now();
  return to_.write(safe + "\n");
}

Status LiveLine::clear() {
  if (!is_drawn_) {
    return {};
  }
  is_drawn_ = false;
  return to_.write(std::string(kStartOfLine).append(kEraseToEnd));
}

}  // namespace landfall::terminal
