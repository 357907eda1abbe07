#pragma once

#include <optional>
#include <string_view>

#include "sandbox_kinds/crd_schema_pattern.h"

// Sets of characters in patterns.
namespace landfall::sandbox {

inline constexpr char32_t kLastCharacter = 0x10FFFF;

// All characters that are not in the set.
Pattern::Class negated(Pattern::Class ranges);
// \d \D \w \W \s \S by their letter.
std::optional<Pattern::Class> shorthand_characters(char32_t letter);
// [:alpha:] and its kin by their name.
std::optional<Pattern::Class> named_characters(std::u32string_view name);

}  // namespace landfall::sandbox
