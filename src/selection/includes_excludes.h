#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "selection/glob.h"

namespace landfall::selection {

using Names = std::vector<std::string>;

// A set of names and patterns. Immutable after it is built; sorted, each pattern once.
class GlobSet {
 public:
  // More would make matching slow; plain names are not limited.
  static constexpr std::size_t kMaxWildcards = 1000;

  GlobSet() = default;
  // kInvalid for a pattern that cannot be read. Velero lets such a pattern through, and with it the rest of the list
  // stops matching; here the list is refused.
  static Result<GlobSet> make(const Names& patterns);

  // The pattern that matches, the plain names first; null when there is none.
  const std::string* match(std::string_view text) const;
  // Whether this very text is in the set.
  bool has(std::string_view pattern) const;
  bool empty() const { return patterns_.empty(); }
  const Names& patterns() const { return patterns_; }

 private:
  Names patterns_;
  std::vector<Glob> globs_;  // those that are more than a plain name
};

// What Velero calls includes and excludes: in is what no exclude matches and some include does; no includes at all, or
// "*" among them, stand for everything. An immutable value.
class IncludesExcludes {
 public:
  IncludesExcludes() = default;
  static Result<IncludesExcludes> make(const Names& includes, const Names& excludes);

  struct Answer {
    bool is_in = true;
    const std::string* excluded_by = nullptr;  // null when it is out because nothing includes it
  };
  Answer ask(std::string_view text) const;
  bool is_in(std::string_view text) const { return ask(text).is_in; }

  // No excludes, and no includes or "*" alone. Velero asks this to decide on cluster-scoped resources.
  bool is_everything() const;
  bool includes_all() const { return includes_.empty() || includes_.has("*"); }

  const GlobSet& includes() const { return includes_; }
  const GlobSet& excludes() const { return excludes_; }

 private:
  GlobSet includes_;
  GlobSet excludes_;
};

}  // namespace landfall::selection
