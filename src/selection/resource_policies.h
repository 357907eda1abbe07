#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "json/json_fwd.h"
#include "selection/filter_policy.h"
#include "selection/list_rules.h"
#include "selection/scoped_lists.h"
#include "selection/volume_policy.h"

namespace landfall::selection {

// What the ConfigMap of a Backup's (or Restore's) `spec.resourcePolicy` says. A plain value.
struct ResourcePolicies {
  VolumePolicies volumes;
  std::optional<ScopedLists> include_exclude;
  FilterPolicies filters;
  Messages warnings;  // what is allowed but cannot be meant: a volume type that does not exist
};

// Reads the YAML text, version v1, as strictly as Velero: an unknown version, action, condition or field, a wrong type
// or a wrong range are kInvalid, with the place. Nothing is read from elsewhere.
Result<ResourcePolicies> parse_resource_policies(std::string_view yaml);

// The same from a ConfigMap, which must have exactly one key under `data`. Errors name the ConfigMap.
Result<ResourcePolicies> read_resource_policies(const json::Json& config_map);

// What a backup goes by: its own policies, and after them the volume policies of the global ConfigMap. Only those hold
// globally; other parts of it are left out, with a warning. Either may be null.
ResourcePolicies merged_policies(const ResourcePolicies* own, const ResourcePolicies* global);

// A restore has only the fine-grained filters: kInvalid when there is anything else.
Status fit_for_restore(const ResourcePolicies& policies);

}  // namespace landfall::selection
