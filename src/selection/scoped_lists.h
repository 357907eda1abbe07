#pragma once

#include "selection/includes_excludes.h"

namespace landfall::selection {

// Lists of resources that are for one scope each, as a Backup's spec and the resource policies have them.
struct ScopedLists {
  Names included_cluster_scoped;
  Names excluded_cluster_scoped;
  Names included_namespace_scoped;
  Names excluded_namespace_scoped;
};

}  // namespace landfall::selection
