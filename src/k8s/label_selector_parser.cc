#include "k8s/label_selector_parser.h"

#include <algorithm>
#include <set>
#include <string>

#include "k8s/field_error.h"
#include "k8s/names.h"

namespace landfall::k8s {
namespace {

// The grammar, as Kubernetes reads it:
//
//   selector    = [ requirement { "," requirement } ]
//   requirement = "!" WORD | WORD | WORD operator WORD? | WORD ("in" | "notin") "(" list ")"
//   operator    = "=" | "==" | "!=" | "<" | ">"
//   list        = WORD? { "," WORD? }
//
// A word is anything without white space and symbols; it is an operator only where one is expected, so that `in in
// (in)` is a requirement on the label "in".
enum class Symbol { kEnd, kWord, kComma, kOpen, kClose, kNot, kEquals, kDoubleEquals, kNotEquals, kLess, kGreater };

struct Token {
  Symbol symbol = Symbol::kEnd;
  std::string_view text;  // as written; empty at the end
};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool is_symbol(char c) { return std::string_view("=!(),<>").find(c) != std::string_view::npos; }

// Takes the text apart with one token of lookahead.
//
// Kubernetes takes a zero byte for the end of what it reads: it ends the selector between tokens, and is swallowed
// right behind one. We do the same, so that both see the same requirements.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : rest_(text) { advance(); }

  const Token& peek() const { return token_; }
  Token next() {
    const Token token = token_;
    advance();
    return token;
  }

 private:
  void advance() {
    const auto* const start = std::ranges::find_if_not(rest_, is_blank);
    rest_.remove_prefix(static_cast<std::size_t>(start - rest_.begin()));
    if (rest_.empty() || rest_.front() == '\0') {
      rest_ = {};
      token_ = {};
      return;
    }
    const std::size_t size = is_symbol(rest_.front()) ? symbol_size() : word_size();
    token_ = {.symbol = is_symbol(rest_.front()) ? symbol_of(rest_.substr(0, size)) : Symbol::kWord,
              .text = rest_.substr(0, size)};
    rest_.remove_prefix(size);
    if (rest_.starts_with('\0')) {
      rest_.remove_prefix(1);
    }
  }

  std::size_t symbol_size() const { return rest_.starts_with("==") || rest_.starts_with("!=") ? 2 : 1; }

  std::size_t word_size() const {
    const auto* const end =
        std::ranges::find_if(rest_, [](char c) { return c == '\0' || is_blank(c) || is_symbol(c); });
    return static_cast<std::size_t>(end - rest_.begin());
  }

  static Symbol symbol_of(std::string_view text) {
    if (text.size() == 2) {
      return text.front() == '=' ? Symbol::kDoubleEquals : Symbol::kNotEquals;
    }
    switch (text.front()) {
      case '=':
        return Symbol::kEquals;
      case '!':
        return Symbol::kNot;
      case '(':
        return Symbol::kOpen;
      case ')':
        return Symbol::kClose;
      case ',':
        return Symbol::kComma;
      case '<':
        return Symbol::kLess;
      default:
        return Symbol::kGreater;
    }
  }

  std::string_view rest_;
  Token token_;
};

tl::unexpected<Error> unexpected_token(const Token& found, std::string_view expected) {
  return fail(Code::kInvalid, "found '" + std::string(found.text) + "'" + std::string(expected));
}

using Values = std::set<std::string>;

class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) {}

  Result<std::vector<LabelRequirement>> selector() {
    std::vector<LabelRequirement> requirements;
    if (lexer_.peek().symbol == Symbol::kEnd) {
      return requirements;
    }
    if (!at_requirement()) {
      return unexpected_token(lexer_.peek(), ", expected: !, identifier, or 'end of string'");
    }
    for (;;) {
      TRY_ASSIGN(LabelRequirement parsed, "unable to parse requirement", requirement());
      requirements.push_back(std::move(parsed));
      const Token separator = lexer_.next();
      if (separator.symbol == Symbol::kEnd) {
        return requirements;
      }
      if (separator.symbol != Symbol::kComma) {
        return unexpected_token(separator, ", expected: ',' or 'end of string'");
      }
      if (!at_requirement()) {
        return unexpected_token(lexer_.peek(), ", expected: identifier after ','");
      }
    }
  }

 private:
  bool at_requirement() const { return lexer_.peek().symbol == Symbol::kWord || lexer_.peek().symbol == Symbol::kNot; }
  bool at_requirement_end() const {
    return lexer_.peek().symbol == Symbol::kEnd || lexer_.peek().symbol == Symbol::kComma;
  }

  Result<LabelRequirement> requirement() {
    const bool negated = lexer_.peek().symbol == Symbol::kNot;
    if (negated) {
      lexer_.next();
    }
    const Token word = lexer_.next();
    if (word.symbol != Symbol::kWord) {
      return unexpected_token(word, ", expected: identifier");
    }
    if (const Problems problems = qualified_name_problems(word.text); !problems.empty()) {
      return fail(Code::kInvalid, invalid_value(kNoFieldPath, word.text, joined(problems)));
    }
    std::string key(word.text);
    if (negated) {
      return LabelRequirement::make(std::move(key), LabelOperator::kDoesNotExist, {});
    }
    if (at_requirement_end()) {
      return LabelRequirement::make(std::move(key), LabelOperator::kExists, {});
    }
    TRY_ASSIGN(const LabelOperator op, "", binary_operator());
    const bool takes_set = op == LabelOperator::kIn || op == LabelOperator::kNotIn;
    TRY_ASSIGN(const Values values, "", takes_set ? value_set() : one_value());
    return LabelRequirement::make(std::move(key), op, {values.begin(), values.end()});
  }

  Result<LabelOperator> binary_operator() {
    const Token token = lexer_.next();
    switch (token.symbol) {
      case Symbol::kEquals:
        return LabelOperator::kEquals;
      case Symbol::kDoubleEquals:
        return LabelOperator::kDoubleEquals;
      case Symbol::kNotEquals:
        return LabelOperator::kNotEquals;
      case Symbol::kLess:
        return LabelOperator::kLessThan;
      case Symbol::kGreater:
        return LabelOperator::kGreaterThan;
      default:
        break;
    }
    if (token.text == "in") {
      return LabelOperator::kIn;
    }
    if (token.text == "notin") {
      return LabelOperator::kNotIn;
    }
    return unexpected_token(token, ", expected: in, notin, =, ==, !=, gt, lt");
  }

  // No value at all is the empty one.
  Result<Values> one_value() {
    if (at_requirement_end()) {
      return Values{""};
    }
    const Token token = lexer_.next();
    if (token.symbol != Symbol::kWord) {
      return unexpected_token(token, ", expected: identifier");
    }
    return Values{std::string(token.text)};
  }

  Result<Values> value_set() {
    if (const Token open = lexer_.next(); open.symbol != Symbol::kOpen) {
      return unexpected_token(open, " expected: '('");
    }
    const Symbol first = lexer_.peek().symbol;
    if (first == Symbol::kClose) {
      lexer_.next();
      return Values{""};
    }
    if (first != Symbol::kWord && first != Symbol::kComma) {
      return unexpected_token(lexer_.peek(), ", expected: ',', ')' or identifier");
    }
    TRY_ASSIGN(Values values, "", value_list());
    lexer_.next();  // the closing bracket
    return values;
  }

  // Ends in front of the closing bracket. Commas without a word between them, or at either end, stand for an empty
  // value; but Kubernetes reads two commas as a pair, which leaves no room for a bracket behind them.
  Result<Values> value_list() {
    Values values;
    for (;;) {
      const Token token = lexer_.next();
      const Symbol follows = lexer_.peek().symbol;
      if (token.symbol == Symbol::kWord) {
        values.emplace(token.text);
        if (follows != Symbol::kComma && follows != Symbol::kClose) {
          return unexpected_token(lexer_.peek(), ", expected: ',' or ')'");
        }
      } else if (token.symbol == Symbol::kComma) {
        if (values.empty() || follows == Symbol::kClose || follows == Symbol::kComma) {
          values.emplace("");
        }
        if (follows == Symbol::kComma) {
          lexer_.next();
          continue;
        }
      } else {
        return unexpected_token(token, ", expected: ',', or identifier");
      }
      if (follows == Symbol::kClose) {
        return values;
      }
    }
  }

  Lexer lexer_;
};

}  // namespace

Result<std::vector<LabelRequirement>> parse_label_requirements(std::string_view text) {
  return Parser(text).selector();
}

}  // namespace landfall::k8s
