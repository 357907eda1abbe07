#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "selection/includes_excludes.h"
#include "selection/verdict.h"

namespace landfall::selection {

// A namespace that the cluster has when a backup starts.
struct LiveNamespace {
  std::string name;
  bool has_exclude_label = false;  // velero.io/exclude-from-backup=true
};

// Which namespaces a backup takes. Patterns are expanded once, against the namespaces of that moment, as Velero does:
// a namespace that appears later is not in. An immutable value.
class NamespaceFilter {
 public:
  static Result<NamespaceFilter> make(const Names& includes, const Names& excludes,
                                      const std::vector<LiveNamespace>& live);

  Verdict ask(std::string_view name) const;

  // True when the user left no namespace out: no excludes, and no includes, "*", or every namespace that there is.
  // Namespaces that their label keeps out do not count: they are no filter of the backup. (In Velero they do, and
  // switch off cluster-scoped resources.)
  bool is_everything() const { return is_everything_; }

  // One list over all namespaces is enough; what it brings from others is to be asked for one by one.
  bool lists_all_at_once() const { return !was_expanded_ && lists_.includes_all(); }
  // Otherwise: the namespaces to list, sorted. Some may not exist.
  Names to_list() const;
  // Included by name, but not there: an error in the log of the backup, as in Velero.
  const Names& missing() const { return missing_; }

 private:
  NamespaceFilter() = default;
  bool covers(const std::vector<LiveNamespace>& live) const;

  IncludesExcludes lists_;
  std::set<std::string, std::less<>> labelled_;
  Names missing_;
  bool was_expanded_ = false;
  bool is_everything_ = false;
};

}  // namespace landfall::selection
