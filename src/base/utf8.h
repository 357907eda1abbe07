#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace landfall {

// U+FFFD, which stands for bytes that are not UTF-8.
inline constexpr char32_t kReplacementRune = 0xFFFD;

// One code point read from UTF-8.
struct Rune {
  char32_t value = kReplacementRune;
  std::size_t size = 1;  // bytes it took
  bool valid = false;    // false: the byte is not part of UTF-8, value is kReplacementRune and size is 1
};

// The first code point of a text that is not empty. Overlong forms, surrogates and values past U+10FFFF are not valid.
Rune first_rune(std::string_view text);

bool is_valid_utf8(std::string_view text);

// The text with U+FFFD for each byte that is not part of UTF-8.
std::string to_valid_utf8(std::string_view text);

// Unicode's white space.
bool is_space(char32_t rune);

// Whether Go's %q shows the code point as it is: letters, marks, numbers, punctuation, symbols and the plain space.
// Code points that Unicode has not assigned yet count as printable, because that changes with every version of Go.
bool is_printable(char32_t rune);

}  // namespace landfall
