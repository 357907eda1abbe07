#include "terminal/styled_line.h"

#include <string_view>

#include "terminal/text_width.h"

namespace landfall::terminal {
namespace {

constexpr std::string_view kReset = "\x1b[0m";

std::string_view code_of(Style style) {
  switch (style) {
    case Style::kBold:
      return "\x1b[1m";
    case Style::kDim:
      return "\x1b[2m";
    case Style::kGreen:
      return "\x1b[32m";
    case Style::kYellow:
      return "\x1b[33m";
    case Style::kRed:
      return "\x1b[31m";
    case Style::kPlain:
      break;
  }
  return "";
}

}  // namespace

std::string render(const StyledLine& line, std::size_t columns, bool has_colors) {
  std::string bytes;
  for (const Span& span : line) {
    const std::string safe = printable(span.text);
    const std::string_view fits = fit_width(safe, columns);
    if (!fits.empty()) {
      const std::string_view code = has_colors ? code_of(span.style) : "";
      bytes.append(code).append(fits);
      if (!code.empty()) bytes += kReset;
    }
    if (fits.size() < safe.size()) break;  // a later, narrower one must not slip in
    columns -= text_width(fits);
  }
  return bytes;
}

}  // namespace landfall::terminal
