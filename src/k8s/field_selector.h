#pragma once

#include <compare>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace landfall::k8s {

// A field selector as `kubectl --field-selector` and the API's `fieldSelector` parameter write it:
// "metadata.name=web,status.phase!=Running". All terms must hold. An immutable value; reading it from several threads
// is safe.
class FieldSelector {
 public:
  struct Term {
    std::string field;
    bool negated = false;  // != instead of = (or ==, which is the same)
    std::string value;

    friend auto operator<=>(const Term&, const Term&) = default;
  };
  // Returns a field's value; a field that does not exist has the empty one.
  using Lookup = std::function<std::string(std::string_view field)>;

  // Matches everything.
  FieldSelector() = default;
  explicit FieldSelector(std::vector<Term> terms) : terms_(std::move(terms)) {}

  // In a value, a backslash keeps `,` `=` and `\` from their special meaning. Fields know no escapes. Empty terms are
  // dropped, white space counts. Errors are kInvalid with Kubernetes' words.
  static Result<FieldSelector> parse(std::string_view text);

  bool matches(const Lookup& value_of) const;
  bool matches(const std::map<std::string, std::string>& fields) const;

  bool empty() const { return terms_.empty(); }
  const std::vector<Term>& terms() const { return terms_; }
  // The value that the field must have, when a term says so: how a list of one object by name is recognised.
  std::optional<std::string> required_value(std::string_view field) const;

  // In a form that parse() reads. The terms keep their order, which is that of their texts before parsing.
  std::string to_string() const;

  friend bool operator==(const FieldSelector&, const FieldSelector&) = default;

 private:
  std::vector<Term> terms_;
};

// Makes any text safe to stand as a value in a field selector.
std::string escape_field_value(std::string_view value);

}  // namespace landfall::k8s
