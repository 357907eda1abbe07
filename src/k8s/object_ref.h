#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "k8s/kinds.h"

namespace landfall::k8s {

// Which object of a kind. A cluster-scoped object has no namespace.
struct NamespacedName {
  std::string name_space;
  std::string name;

  friend auto operator<=>(const NamespacedName&, const NamespacedName&) = default;
};

// Which object: what plugins return as additional items, and what progress counts.
struct ObjectRef {
  GroupResource resource;
  std::string name_space;
  std::string name;

  friend auto operator<=>(const ObjectRef&, const ObjectRef&) = default;
};

// "shop/web", or "node-1" without a namespace, as in Velero's logs and resource lists.
std::string to_string(const NamespacedName& value);
// "deployments.apps shop/web".
std::string to_string(const ObjectRef& value);

// Reads "shop/web" and "node-1". Everything behind the first slash is the name.
NamespacedName parse_namespaced_name(std::string_view text);

}  // namespace landfall::k8s
