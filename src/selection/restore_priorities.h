#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "k8s/kinds.h"
#include "selection/resource_names.h"

namespace landfall::selection {

// In which order kinds are restored: first the high ones as they stand, then all others by name, then the low ones. A
// plain value.
struct RestorePriorities {
  Names high;
  Names low;

  // Velero's.
  static RestorePriorities defaults();
  // The flag --restore-resource-priorities: "a,b,-,y,z". A single "-" stands between high and low; without it all are
  // high. The part that is not given keeps its default, as in Velero. kInvalid for a second "-" or an empty name.
  static Result<RestorePriorities> parse(std::string_view text);
  // The flag's text.
  std::string to_string() const;

  friend bool operator==(const RestorePriorities&, const RestorePriorities&) = default;
};

// The kinds of a backup in the order of their restore, each once. Names of priorities are resolved by what the server
// knows now, so ask again once the definitions of custom resources are restored. (Velero resolves the low ones too
// late: written without their group they do not come last there.)
std::vector<k8s::GroupResource> restore_order(const RestorePriorities& priorities,
                                              const std::vector<k8s::GroupResource>& in_backup,
                                              const ResourceNames& names);

}  // namespace landfall::selection
