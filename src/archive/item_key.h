#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "k8s/kinds.h"

namespace landfall::archive {

// An object on its way into an archive.
struct ItemKey {
  k8s::GroupResource resource;
  std::string version;         // of the API, without the group: "v1beta1"; never empty
  bool is_preferred = true;    // whether this is the version that the cluster prefers
  std::string namespace_name;  // empty for cluster scope
  std::string name;

  friend auto operator<=>(const ItemKey&, const ItemKey&) = default;
};

// The paths that an object is stored under: the plain one and the copy in "<version>-preferredversion/", in this order;
// for a version that is not preferred only the one in "<version>/".
// kInvalid for a key that cannot be told from its path again: empty or dotted parts, slashes, backslashes, bytes that
// are not UTF-8, a version that looks like another part of the path, or a path longer than readers take.
Result<std::vector<std::string>> item_paths(const ItemKey& key);

}  // namespace landfall::archive
