#pragma once

#include <cstddef>
#include <string_view>

namespace landfall::json {

// The bytes of the character that the text starts with; 0 when it does not start with valid UTF-8 (an overlong form, a
// surrogate, past U+10FFFF, cut short) or is empty.
std::size_t utf8_length(std::string_view text);

// The offset of the first byte that is not valid UTF-8, or npos.
std::size_t find_invalid_utf8(std::string_view text);

}  // namespace landfall::json
