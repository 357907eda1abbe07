#include "selection/includes_excludes.h"

#include <algorithm>

namespace landfall::selection {

Result<GlobSet> GlobSet::make(const Names& patterns) {
  GlobSet set;
  set.patterns_ = patterns;
  std::ranges::sort(set.patterns_);
  const auto repeated = std::ranges::unique(set.patterns_);
  set.patterns_.erase(repeated.begin(), repeated.end());
  for (const std::string& pattern : set.patterns_) {
    TRY_ASSIGN(Glob glob, "", Glob::compile(pattern));
    if (!glob.is_literal()) {
      set.globs_.push_back(std::move(glob));
    }
    if (set.globs_.size() > kMaxWildcards) {
      return fail(Code::kInvalid, "more than " + std::to_string(kMaxWildcards) + " patterns in one list");
    }
  }
  return set;
}

bool GlobSet::has(std::string_view pattern) const {
  return std::ranges::binary_search(patterns_, pattern, std::less<std::string_view>());
}

const std::string* GlobSet::match(std::string_view text) const {
  const auto found = std::ranges::lower_bound(patterns_, text, std::less<std::string_view>());
  // A pattern does not match its own text by itself: "[ab]" is not among what "[ab]" matches.
  if (found != patterns_.end() && *found == text && found->find_first_of("*?[{\\") == std::string::npos) {
    return &*found;
  }
  const auto glob = std::ranges::find_if(globs_, [&](const Glob& g) { return g.matches(text); });
  return glob == globs_.end() ? nullptr : &glob->pattern();
}

Result<IncludesExcludes> IncludesExcludes::make(const Names& includes, const Names& excludes) {
  IncludesExcludes lists;
  TRY_ASSIGN(lists.includes_, "included", GlobSet::make(includes));
  TRY_ASSIGN(lists.excludes_, "excluded", GlobSet::make(excludes));
  return lists;
}

IncludesExcludes::Answer IncludesExcludes::ask(std::string_view text) const {
  if (const std::string* excluded_by = excludes_.match(text)) {
    return {.is_in = false, .excluded_by = excluded_by};
  }
  return {.is_in = includes_all() || includes_.match(text) != nullptr};
}

bool IncludesExcludes::is_everything() const {
  return excludes_.empty() && (includes_.empty() || (includes_.patterns().size() == 1 && includes_.has("*")));
}

}  // namespace landfall::selection
