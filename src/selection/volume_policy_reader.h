#pragma once

#include "base/result.h"
#include "selection/list_rules.h"
#include "selection/policy_node.h"
#include "selection/volume_policy.h"

namespace landfall::selection {

// Reads `volumePolicies` of the resource policies. kInvalid with the place; what is allowed but never matches is a
// warning.
Result<VolumePolicies> read_volume_policies(const PolicyNode& root, Messages& warnings);

}  // namespace landfall::selection
