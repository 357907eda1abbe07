#include "sandbox_kinds/crd_schema_pattern_class.h"

#include <algorithm>
#include <array>
#include <utility>

namespace landfall::sandbox {
namespace {

using Class = Pattern::Class;

const Class kDigits = {{U'0', U'9'}};
const Class kWord = {{U'0', U'9'}, {U'A', U'Z'}, {U'a', U'z'}, {U'_', U'_'}};
const Class kSpace = {{U'\t', U'\n'}, {U'\f', U'\r'}, {U' ', U' '}};

struct NamedClass {
  std::u32string_view name;
  Class characters;
};
const std::array<NamedClass, 9> kNamed = {{
    {U"alnum", {{U'0', U'9'}, {U'A', U'Z'}, {U'a', U'z'}}},
    {U"alpha", {{U'A', U'Z'}, {U'a', U'z'}}},
    {U"digit", {{U'0', U'9'}}},
    {U"lower", {{U'a', U'z'}}},
    {U"upper", {{U'A', U'Z'}}},
    {U"punct", {{U'!', U'/'}, {U':', U'@'}, {U'[', U'`'}, {U'{', U'~'}}},
    {U"space", {{U'\t', U'\r'}, {U' ', U' '}}},
    {U"word", {{U'0', U'9'}, {U'A', U'Z'}, {U'a', U'z'}, {U'_', U'_'}}},
    {U"xdigit", {{U'0', U'9'}, {U'A', U'F'}, {U'a', U'f'}}},
}};

}  // namespace

Pattern::Class negated(Class ranges) {
  std::ranges::sort(ranges, {}, &Pattern::Range::first);
  Class out;
  char32_t next = 0;
  for (const auto& [first, last] : ranges) {
    if (first > next) {
      out.push_back({next, first - 1});
    }
    next = std::max<char32_t>(next, last + 1);
  }
  if (next <= kLastCharacter) {
    out.push_back({next, kLastCharacter});
  }
  return out;
}

std::optional<Class> shorthand_characters(char32_t letter) {
  switch (letter) {
    case U'd':
      return kDigits;
    case U'D':
      return negated(kDigits);
    case U'w':
      return kWord;
    case U'W':
      return negated(kWord);
    case U's':
      return kSpace;
    case U'S':
      return negated(kSpace);
    default:
      return std::nullopt;
  }
}

std::optional<Class> named_characters(std::u32string_view name) {
  const auto* const found = std::ranges::find(kNamed, name, &NamedClass::name);
  return found == kNamed.end() ? std::nullopt : std::optional(found->characters);
}

}  // namespace landfall::sandbox
