#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "k8s/kinds.h"

namespace landfall::archive {

inline constexpr std::string_view kVersionFile = "metadata/version";

// Where an object stands in an archive. An object is an item in the plain form and, from format 1.1.0 on, has a copy in
// the directory of its version as well.
struct ItemPath {
  k8s::GroupResource resource;
  std::string version;         // empty in the plain form: the preferred version, whichever it is
  bool is_preferred = false;   // of a version directory: it ends in "-preferredversion"
  std::string namespace_name;  // empty for cluster scope
  std::string name;

  friend auto operator<=>(const ItemPath&, const ItemPath&) = default;

  bool is_plain() const { return version.empty(); }
  // "resources/pods/namespaces/shop/db-0.json"
  std::string to_string() const;
};

// kNotFound for a path that is no item's (other files may stand in an archive), kInvalid for one that tries to be but
// is broken: an empty part, "..", a missing ".json".
Result<ItemPath> parse_item_path(std::string_view path);

}  // namespace landfall::archive
