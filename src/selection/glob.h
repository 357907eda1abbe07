#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace landfall::selection {

// A pattern for names of resources and namespaces, with the grammar that Velero's patterns have:
//   *        any text, dots and slashes included (** is the same)
//   ?        one character
//   [abc]    one of them; [a-z] one of a range; [!…] none of them. A set is either a range or a list: "[a-cx]" is
//   wrong. {a,b*}   one of several patterns; may nest, and one that is left open ends at the end
//   \        takes the next character as it is
// A match is always of the whole text. Compiled once; immutable, so reading it from several threads is safe. Matching
// takes at most (length of the text) x (length of the pattern) steps, whatever the pattern is.
class Glob {
 public:
  // Longer patterns are refused: the longest name is 253 characters.
  static constexpr std::size_t kMaxBytes = 1024;

  // kInvalid with the place: `pattern "[a": at byte 0: the set is not closed`.
  static Result<Glob> compile(std::string_view pattern);

  bool matches(std::string_view text) const;
  const std::string& pattern() const { return pattern_; }
  // True when it matches nothing but its own text.
  bool is_literal() const { return is_literal_; }

 private:
  enum class Op : std::uint8_t { kRune, kAnyRune, kSet, kSplit, kJump, kAccept };
  static constexpr std::uint32_t kNowhere = UINT32_MAX;

  // A step of the matching machine. `rune` holds the character, or the number of the set.
  struct Step {
    Op op = Op::kAccept;
    char32_t rune = 0;
    std::uint32_t next = kNowhere;   // of a split and a jump
    std::uint32_t other = kNowhere;  // of a split
  };
  struct Set {
    bool negated = false;
    std::vector<std::pair<char32_t, char32_t>> ranges;
  };
  class Compiler;
  class Run;

  Glob() = default;
  bool accepts(const Step& step, char32_t rune) const;

  std::string pattern_;
  bool is_literal_ = true;
  bool is_any_ = false;
  std::vector<Step> steps_;
  std::vector<Set> sets_;
};

// Whether Velero takes a namespace's name for a pattern.
bool has_wildcard(std::string_view name);

}  // namespace landfall::selection
