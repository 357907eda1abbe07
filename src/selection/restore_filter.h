#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "kube/discovery.h"
#include "selection/backup_filter.h"
#include "selection/filter_policy.h"
#include "selection/restore_filter_spec.h"

namespace landfall::selection {

// Decides what of a backup is restored, and where to. Made after the definitions of custom resources are restored, when
// the server knows all names. Immutable; safe to ask from several threads.
class RestoreFilter {
 public:
  // `policies` may be null. kInvalid with all messages of restore_filter_problems in one text when there are any.
  static Result<RestoreFilter> make(const RestoreFilterSpec& spec, const ResourcePolicies* policies,
                                    const kube::Discovery& discovery);

  // Whether anything of the kind is restored.
  Verdict resource(const k8s::GroupResource& resource) const;

  // Whether an item is restored, by its namespace in the backup. Directly: everything counts. As an additional item
  // neither labels nor policies count, and a cluster-scoped item needs only that includeClusterResources is not false.
  // As a must-include item no filter counts. Whichever way, finished pods and jobs and mirror pods are not restored.
  Verdict item(const ItemFacts& item, Met met) const;

  // The namespace that takes what was in this one.
  std::string target_namespace(std::string_view original) const;

  // Whether the status of a created object is restored too. `annotation` is the object's velero.io/restore-status,
  // which overrides the spec where it says true or false.
  bool restores_status(const k8s::GroupResource& resource, std::optional<std::string_view> annotation) const;

 private:
  RestoreFilter() = default;
  Verdict by_filters(const ItemFacts& item, Met met) const;
  Verdict by_scope(const ItemFacts& item, Met met) const;
  Verdict by_policy_and_labels(const ItemFacts& item) const;

  IncludesExcludes resources_;
  IncludesExcludes never_;
  IncludesExcludes namespaces_;
  std::optional<bool> include_cluster_resources_;
  std::optional<IncludesExcludes> status_;
  json::StringMap mapping_;
  FilterRules policy_;
  LabelFilter labels_;
};

}  // namespace landfall::selection
