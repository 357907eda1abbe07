#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/access.h"
#include "json/json_fwd.h"
#include "selection/includes_excludes.h"

namespace landfall::selection {

// An object in a text that people write, read strictly: keys must be known, types must be right, and every error names
// the place: `volumePolicies[1].conditions.capacity: expected a string, got a list`. Borrows the document.
class PolicyNode {
 public:
  // kInvalid unless it is an object with no other keys than these. A null counts as an empty object.
  static Result<PolicyNode> open(const json::Json& value, std::string path,
                                 std::initializer_list<std::string_view> keys);

  const std::string& path() const { return path_; }
  std::string path_to(std::string_view key) const;

  // Null when it is missing or null.
  const json::Json* find(std::string_view key) const;
  // Missing is empty. Where text is expected, a bare number or boolean is taken as it would be written: YAML has it so
  // for `{tier: 1}`; a number with a fraction has to be quoted.
  Result<std::string> text(std::string_view key) const;
  Result<Names> texts(std::string_view key) const;
  Result<json::StringMap> text_map(std::string_view key) const;
  // The elements of a list; missing is none.
  Result<std::vector<const json::Json*>> list(std::string_view key) const;

  // kInvalid at the key.
  tl::unexpected<Error> error(std::string_view key, std::string_view what) const;

 private:
  PolicyNode(const json::Json& value, std::string path) : value_(&value), path_(std::move(path)) {}

  const json::Json* value_;
  std::string path_;
};

// "volumePolicies[3]".
std::string element(std::string_view list, std::size_t index);

}  // namespace landfall::selection
