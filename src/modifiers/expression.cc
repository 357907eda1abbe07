#include "modifiers/expression.h"

#include <re2/re2.h>

#include <string>

#include "base/strings.h"
#include "modifiers/resource_glob.h"

namespace landfall::modifiers {
namespace {

// Of the program and of what it builds while it matches. Expressions over names take a few KiB.
constexpr std::int64_t kMaxMemory = std::int64_t{1} << 20;

}  // namespace

Result<Expression> Expression::compile(std::string_view syntax) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMaxMemory);
  auto compiled = std::make_shared<const re2::RE2>(re2::StringPiece(syntax.data(), syntax.size()), options);
  if (!compiled->ok()) return fail(Code::kInvalid, compiled->error());
  return Expression(std::move(compiled));
}

Result<Expression> Expression::regex(std::string_view pattern) {
  if (pattern.size() > kMaxBytes) {
    return fail(Code::kInvalid, "the expression is longer than " + std::to_string(kMaxBytes) + " bytes");
  }
  TRY_ASSIGN(Expression expression, "expression " + quote(pattern), compile(pattern));
  return expression;
}

Result<Expression> Expression::resource_glob(std::string_view pattern) {
  TRY_ASSIGN(const std::string syntax, "pattern " + quote(pattern), glob_to_regex(pattern));
  TRY_ASSIGN(Expression expression, "pattern " + quote(pattern), compile(syntax));
  return expression;
}

bool Expression::matches(std::string_view text) const {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *expression_);
}

std::size_t Expression::size() const { return static_cast<std::size_t>(expression_->ProgramSize()); }

}  // namespace landfall::modifiers
