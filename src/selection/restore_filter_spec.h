#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/access.h"
#include "json/json_fwd.h"
#include "k8s/label_selector.h"
#include "selection/includes_excludes.h"
#include "selection/list_rules.h"

namespace landfall::selection {

struct ResourcePolicies;

// What a Restore's spec says about what to restore. A plain value.
struct RestoreFilterSpec {
  struct StatusLists {
    Names included_resources;
    Names excluded_resources;
  };

  Names included_namespaces;
  Names excluded_namespaces;
  Names included_resources;
  Names excluded_resources;
  std::optional<bool> include_cluster_resources;
  json::StringMap namespace_mapping;  // from the namespace in the backup to the one in the cluster
  std::optional<k8s::LabelSelector> label_selector;
  std::vector<k8s::LabelSelector> or_label_selectors;
  std::optional<StatusLists> restore_status;  // none: no status is restored
};

// Nodes, events, and records that belong to one cluster or are synchronised from the bucket.
const Names& never_restored();
// Kinds that are restored whatever the filters say, because other items cannot be restored without them.
const Names& always_restored();

// Reads `spec` of a Restore. What cannot be read is a message, named by its field.
RestoreFilterSpec read_restore_filter_spec(const json::Json& spec, Messages& problems);

// All that is wrong with the filters, for `status.validationErrors`. `policies` may be null. Target namespaces must be
// valid names (Velero finds out only when it creates them).
Messages restore_filter_problems(const RestoreFilterSpec& spec, const ResourcePolicies* policies);

// The filters as Velero stores them in the Restore: what is never restored is among the excludes. Doing it again
// changes nothing.
RestoreFilterSpec completed(RestoreFilterSpec spec);

}  // namespace landfall::selection
