#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace landfall::sandbox {

// A regular expression from the schema of a custom resource: Go's syntax (RE2), as far as schemas use it. Patterns come
// from outside, so that std::regex, which recurses and backtracks, is no choice: this matcher runs all alternatives
// side by side and takes no more than pattern times text steps. An immutable value.
//
// Understood: literals, ., [classes] with ranges, \d \w \s and [:alpha:] names, ^ $ \A \z \b \B, groups (also (?:) and
// (?P<name>)), |, * + ? {n} {n,} {n,m} and their lazy forms. Not: flags such as (?i), \p{…}, \C, \Q…\E.
class Pattern {
 public:
  // kInvalid: not a regular expression; kUnsupported: beyond the list above; kTooLarge: past our limits. The schema
  // leaves values unchecked for the last two.
  static Result<Pattern> compile(std::string_view text);

  // Whether any part of the text matches. A match that would take more than about fifty million steps is taken for
  // granted.
  bool matches(std::string_view text) const;

  struct Range {
    char32_t first;
    char32_t last;
  };
  struct Instruction {
    enum class Op : std::uint8_t { kClass, kSplit, kJump, kBegin, kEnd, kBoundary, kNoBoundary, kMatch };
    Op op = Op::kMatch;
    std::uint32_t a = 0;  // kClass: index of the class; kSplit, kJump: where to go on
    std::uint32_t b = 0;  // kSplit: the other place
  };
  using Class = std::vector<Range>;

 private:
  std::vector<Instruction> program_;
  std::vector<Class> classes_;
  std::size_t cost_ = 1;
};

}  // namespace landfall::sandbox
