#pragma once

#include "base/result.h"
#include "selection/filter_policy.h"
#include "selection/policy_node.h"

namespace landfall::selection {

// Reads `clusterScopedFilterPolicy` and `namespacedFilterPolicies` of the resource policies. kInvalid with the place.
Result<FilterPolicies> read_filter_policies(const PolicyNode& root);

}  // namespace landfall::selection
