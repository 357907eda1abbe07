#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "base/result.h"

// NOLINTNEXTLINE(readability-identifier-naming): the library's name.
namespace re2 {
class RE2;
}

namespace landfall::modifiers {

// A compiled expression over names. Immutable; reading it from several threads is safe. Matching takes time linear in
// the text, whatever the expression is.
class Expression {
 public:
  static constexpr std::size_t kMaxBytes = 4096;

  // In Go's syntax (RE2's), and like Go's found anywhere in the text. kInvalid says what is wrong.
  static Result<Expression> regex(std::string_view pattern);
  // A pattern for "deployments.apps" in which a dot is a border: * and ? do not match it, ** does. Otherwise the
  // grammar of selection/glob.h: [abc], [a-z], [!…], {a,b*}, and \ before a character that stands for itself. Always of
  // the whole text.
  static Result<Expression> resource_glob(std::string_view pattern);

  bool matches(std::string_view text) const;
  // What it takes in memory, in steps of its machine.
  std::size_t size() const;

 private:
  explicit Expression(std::shared_ptr<const re2::RE2> expression) : expression_(std::move(expression)) {}
  static Result<Expression> compile(std::string_view syntax);

  std::shared_ptr<const re2::RE2> expression_;
};

}  // namespace landfall::modifiers
