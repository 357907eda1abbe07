#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/access.h"
#include "k8s/kinds.h"
#include "k8s/object_ref.h"
#include "selection/includes_excludes.h"

namespace landfall::selection {

// Reads the command line's "pods=shop/db,shop/web;persistentvolumes=pv1": a map from a plural name to the names in
// order, as `spec.orderedResources` holds it. An empty text is an empty map. kInvalid for an entry that is not
// KIND=NAMES.
Result<json::StringMap> parse_ordered_resources(std::string_view text);

// The names that the map has for a kind, in order: "shop/db", or "pv1" for what has no namespace. The key is the bare
// plural name, as in Velero; the form with the group ("deployments.apps") is taken as well, and goes first.
Names ordered_names(const json::StringMap& ordered_resources, const k8s::GroupResource& resource);

// How the items of a kind stand after ordering.
struct Ordering {
  std::vector<std::size_t> order;  // positions in the original list, each once
  std::size_t ordered = 0;         // how many at the front were asked for by name
  Names unknown;                   // asked for, but not there: a warning
};

// Puts the named ones to the front, in the order of the names; the rest stays as it is. Of items with the same name the
// first is moved. A name that is given twice counts once.
Ordering order_items(const std::vector<k8s::NamespacedName>& items, const Names& names);

}  // namespace landfall::selection
