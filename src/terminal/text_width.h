#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace landfall::terminal {

// How many columns a UTF-8 text takes on a terminal: wide East Asian characters take two, combining marks none.
std::size_t text_width(std::string_view text);

// The longest beginning of the text that fits into so many columns; characters are never cut in half.
std::string_view fit_width(std::string_view text, std::size_t columns);

// The text with control characters and bytes that are not UTF-8 replaced: safe to show on a terminal.
std::string printable(std::string_view text);

}  // namespace landfall::terminal
