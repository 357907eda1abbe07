#include "selection/resource_names.h"

namespace landfall::selection {

std::string ResourceNames::resolve(std::string_view name) const {
  const kube::ApiResource* found = find(name);
  return found == nullptr ? std::string(name) : k8s::to_string(found->id.group_resource());
}

Names ResourceNames::resolve_all(const Names& names) const {
  Names resolved;
  resolved.reserve(names.size());
  for (const std::string& name : names) {
    resolved.push_back(resolve(name));
  }
  return resolved;
}

}  // namespace landfall::selection
