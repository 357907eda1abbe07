#include "sandbox_kinds/crd_schema_pattern_parser.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/utf8.h"
#include "sandbox_kinds/crd_schema_pattern_class.h"

namespace landfall::sandbox {
namespace {

using Class = Pattern::Class;
using Type = PatternNode::Type;

constexpr std::size_t kMaxDepth = 100;
constexpr std::size_t kMaxRepeat = 1000;  // as in RE2
constexpr std::size_t kMaxText = 4096;

std::optional<char32_t> control(char32_t letter) {
  switch (letter) {
    case U'n':
      return U'\n';
    case U't':
      return U'\t';
    case U'r':
      return U'\r';
    case U'f':
      return U'\f';
    case U'v':
      return U'\v';
    case U'a':
      return U'\a';
    default:
      return std::nullopt;
  }
}

bool is_digit(char32_t c) { return c >= U'0' && c <= U'9'; }
bool is_letter(char32_t c) { return (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z'); }

class Parser {
 public:
  explicit Parser(std::u32string text) : text_(std::move(text)) {}

  Result<PatternNode> whole() {
    TRY_ASSIGN(PatternNode node, "", choice(0));
    if (!at_end()) {
      return fail(Code::kInvalid, "unexpected )");
    }
    return node;
  }

 private:
  bool at_end() const { return at_ == text_.size(); }
  char32_t peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : U'\0'; }
  bool take(char32_t c) {
    if (at_end() || text_[at_] != c) {
      return false;
    }
    ++at_;
    return true;
  }
  bool take(std::u32string_view word) {
    if (std::u32string_view(text_).substr(at_, word.size()) != word) {
      return false;
    }
    at_ += word.size();
    return true;
  }

  static PatternNode of(Class characters) {
    return {.type = Type::kClass, .characters = std::move(characters), .children = {}};
  }
  static PatternNode plain(Type type) { return {.type = type, .characters = {}, .children = {}}; }

  Result<PatternNode> choice(std::size_t depth) {
    if (depth > kMaxDepth) {
      return fail(Code::kTooLarge, "the pattern nests too deep");
    }
    PatternNode node = plain(Type::kChoice);
    do {
      TRY_ASSIGN(PatternNode branch, "", sequence(depth));
      node.children.push_back(std::move(branch));
    } while (take(U'|'));
    return node;
  }

  Result<PatternNode> sequence(std::size_t depth) {
    PatternNode node = plain(Type::kSequence);
    while (!at_end() && peek() != U'|' && peek() != U')') {
      TRY_ASSIGN(PatternNode part, "", atom(depth));
      TRY_ASSIGN(part, "", repeated(std::move(part)));
      node.children.push_back(std::move(part));
    }
    return node;
  }

  Result<PatternNode> atom(std::size_t depth) {
    if (take(U'(')) {
      return group(depth);
    }
    if (take(U'[')) {
      return bracket();
    }
    if (take(U'\\')) {
      return escape();
    }
    if (take(U'.')) {
      return of(negated({{U'\n', U'\n'}}));
    }
    if (take(U'^')) {
      return plain(Type::kBegin);
    }
    if (take(U'$')) {
      return plain(Type::kEnd);
    }
    const char32_t c = text_[at_++];
    if (c == U'*' || c == U'+' || c == U'?') {
      return fail(Code::kInvalid, "missing argument to repetition operator");
    }
    return of({{c, c}});
  }

  Result<PatternNode> group(std::size_t depth) {
    if (take(U"?P<") || take(U"?<")) {
      while (!at_end() && peek() != U'>') {
        ++at_;
      }
      if (!take(U'>')) {
        return fail(Code::kInvalid, "invalid named capture");
      }
    } else if (peek() == U'?' && !take(U"?:")) {
      return fail(Code::kUnsupported, "flags are not supported");
    }
    TRY_ASSIGN(PatternNode inner, "", choice(depth + 1));
    if (!take(U')')) {
      return fail(Code::kInvalid, "missing closing )");
    }
    return inner;
  }

  Result<PatternNode> escape() {
    if (at_end()) {
      return fail(Code::kInvalid, "trailing backslash at end of expression");
    }
    const char32_t c = text_[at_++];
    if (auto characters = shorthand_characters(c)) {
      return of(*std::move(characters));
    }
    switch (c) {
      case U'A':
        return plain(Type::kBegin);
      case U'z':
        return plain(Type::kEnd);
      case U'b':
        return plain(Type::kBoundary);
      case U'B':
        return plain(Type::kNoBoundary);
      default:
        break;
    }
    TRY_ASSIGN(const char32_t literal, "", escaped_character(c));
    return of({{literal, literal}});
  }

  // What stands behind a backslash, when it is one character.
  Result<char32_t> escaped_character(char32_t c) {
    if (const auto code = control(c)) {
      return *code;
    }
    if (c == U'x') {
      return hexadecimal();
    }
    if (is_letter(c) || is_digit(c)) {
      return fail(c == U'p' || c == U'P' || c == U'C' || c == U'Q' ? Code::kUnsupported : Code::kInvalid,
                  "invalid escape sequence");
    }
    return c;
  }

  Result<char32_t> hexadecimal() {
    constexpr char32_t kBase = 16;
    const bool is_braced = take(U'{');
    char32_t value = 0;
    std::size_t digits = 0;
    for (; !at_end() && (is_braced || digits < 2); ++digits, ++at_) {
      const char32_t c = peek();
      if (is_digit(c)) {
        value = value * kBase + (c - U'0');
      } else if ((c | 0x20U) >= U'a' && (c | 0x20U) <= U'f') {
        value = value * kBase + ((c | 0x20U) - U'a') + 10;
      } else {
        break;
      }
      if (value > kLastCharacter) {
        return fail(Code::kInvalid, "invalid escape sequence");
      }
    }
    if (digits == 0 || (!is_braced && digits != 2) || (is_braced && !take(U'}'))) {
      return fail(Code::kInvalid, "invalid escape sequence");
    }
    return value;
  }

  Result<PatternNode> bracket() {
    const bool is_negated = take(U'^');
    Class characters;
    for (bool first = true; first || peek() != U']'; first = false) {
      if (at_end()) {
        return fail(Code::kInvalid, "missing closing ]");
      }
      TRY("", bracket_item(characters));
    }
    ++at_;
    return of(is_negated ? negated(std::move(characters)) : std::move(characters));
  }

  Status bracket_item(Class& characters) {
    if (take(U"[:")) {
      return named_class(characters);
    }
    if (peek() == U'\\') {
      if (const auto whole = shorthand_characters(peek(1))) {
        at_ += 2;
        characters.insert(characters.end(), whole->begin(), whole->end());
        return {};
      }
    }
    TRY_ASSIGN(const char32_t first, "", bracket_character());
    if (peek() != U'-' || peek(1) == U']' || at_ + 1 >= text_.size()) {
      characters.push_back({first, first});
      return {};
    }
    ++at_;
    TRY_ASSIGN(const char32_t last, "", bracket_character());
    if (last < first) {
      return fail(Code::kInvalid, "invalid character class range");
    }
    characters.push_back({first, last});
    return {};
  }

  Result<char32_t> bracket_character() {
    if (at_end()) {
      return fail(Code::kInvalid, "missing closing ]");
    }
    const char32_t c = text_[at_++];
    if (c != U'\\') {
      return c;
    }
    if (at_end()) {
      return fail(Code::kInvalid, "trailing backslash at end of expression");
    }
    return escaped_character(text_[at_++]);
  }

  Status named_class(Class& characters) {
    const std::size_t end = text_.find(U":]", at_);
    if (end == std::u32string::npos) {
      return fail(Code::kInvalid, "missing closing ]");
    }
    const auto named = named_characters(std::u32string_view(text_).substr(at_, end - at_));
    if (!named) {
      return fail(Code::kUnsupported, "this character class is not supported");
    }
    at_ = end + 2;
    characters.insert(characters.end(), named->begin(), named->end());
    return {};
  }

  Result<PatternNode> repeated(PatternNode part) {
    std::size_t at_least = 0;
    std::size_t at_most = 0;
    TRY_ASSIGN(const bool is_repeated, "", repetition(at_least, at_most));
    if (!is_repeated) {
      return part;
    }
    take(U'?');  // lazy or not, the same texts match
    std::size_t ignored = 0;
    TRY_ASSIGN(const bool is_nested, "", repetition(ignored, ignored));
    if (is_nested) {
      return fail(Code::kInvalid, "invalid nested repetition operator");
    }
    PatternNode repeat = plain(Type::kRepeat);
    repeat.at_least = at_least;
    repeat.at_most = at_most;
    repeat.children.push_back(std::move(part));
    return repeat;
  }

  Result<bool> repetition(std::size_t& at_least, std::size_t& at_most) {
    at_least = 0;
    at_most = PatternNode::kNoLimit;
    if (take(U'*')) {
      return true;
    }
    if (take(U'+')) {
      at_least = 1;
      return true;
    }
    if (take(U'?')) {
      at_most = 1;
      return true;
    }
    return counted(at_least, at_most);
  }

  // "{2,5}". Anything else in braces is literal text.
  Result<bool> counted(std::size_t& at_least, std::size_t& at_most) {
    const std::size_t start = at_;
    if (!take(U'{')) {
      return false;
    }
    const auto least = number();
    std::optional<std::size_t> most = least;
    if (least && take(U',')) {
      most = peek() == U'}' ? PatternNode::kNoLimit : number();
    }
    if (!least || !most || !take(U'}')) {
      at_ = start;
      return false;
    }
    if (*least > kMaxRepeat || (*most != PatternNode::kNoLimit && *most > kMaxRepeat) || *most < *least) {
      return fail(Code::kInvalid, "invalid repeat count");
    }
    at_least = *least;
    at_most = *most;
    return true;
  }

  std::optional<std::size_t> number() {
    if (!is_digit(peek())) {
      return std::nullopt;
    }
    std::size_t value = 0;
    while (is_digit(peek())) {
      value = std::min<std::size_t>(value * 10 + (text_[at_++] - U'0'), kMaxText * kMaxText);
    }
    return value;
  }

  std::u32string text_;
  std::size_t at_ = 0;
};

}  // namespace

Result<PatternNode> parse_pattern(std::string_view text) {
  if (text.size() > kMaxText) {
    return fail(Code::kTooLarge, "the pattern is longer than 4096 bytes");
  }
  std::u32string characters;
  for (std::string_view rest = text; !rest.empty();) {
    const Rune rune = first_rune(rest);
    characters += rune.value;
    rest.remove_prefix(rune.size);
  }
  return Parser(std::move(characters)).whole();
}

}  // namespace landfall::sandbox
