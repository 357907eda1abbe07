#pragma once

#include <string>
#include <string_view>

#include "kube/discovery.h"
#include "selection/includes_excludes.h"

namespace landfall::selection {

// Turns what people write in lists (plural, singular, kind or short name, in any case, with or without the group) into
// the form that archives and filters use: "deployments.apps". Borrows the discovery.
class ResourceNames {
 public:
  explicit ResourceNames(const kube::Discovery& discovery) : discovery_(discovery) {}

  // Null when the server does not know it.
  const kube::ApiResource* find(std::string_view name) const { return discovery_.find_by_word(name); }

  // A name that the server does not know stays as it is, so that a list of such names does not become an empty list,
  // which would mean everything; it may be a pattern, or a kind whose definition is still to be restored.
  std::string resolve(std::string_view name) const;
  Names resolve_all(const Names& names) const;

 private:
  const kube::Discovery& discovery_;
};

}  // namespace landfall::selection
