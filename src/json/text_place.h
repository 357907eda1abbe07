#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace landfall::json {

// "line 3, column 14 (byte 52)" for an offset into a text; all three count from 1, columns are characters.
std::string place_in(std::string_view text, std::size_t offset);

}  // namespace landfall::json
