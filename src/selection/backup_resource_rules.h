#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "k8s/kinds.h"
#include "selection/backup_filter_spec.h"
#include "selection/resource_names.h"
#include "selection/verdict.h"

namespace landfall::selection {

// Which kinds of objects a backup takes, by the old filters (one list for both scopes and includeClusterResources) or
// the new ones (a pair of lists for each scope). An immutable value.
//
// Deliberate difference: Velero's automatic exclusion of volume snapshots makes its lists "not empty", and with that a
// backup without any filter takes no cluster-scoped resources. Here what is excluded automatically is no filter.
class BackupResourceRules {
 public:
  // `policy` are the includeExcludePolicy's lists, or null; the spec wins over them. `is_every_namespace`: the backup
  // leaves no namespace out.
  static Result<BackupResourceRules> make(const BackupFilterSpec& spec, const ScopedLists* policy,
                                          const ResourceNames& names, bool is_every_namespace);

  // Whether objects of the kind are looked for.
  Verdict listed(const k8s::GroupResource& resource, bool is_namespaced) const;
  // Whether nothing forbids the kind: what decides on a cluster-scoped object that another object asks for.
  Verdict allowed(const k8s::GroupResource& resource, bool is_namespaced) const;

 private:
  BackupResourceRules() = default;
  Verdict listed_by_old(const std::string& resource, bool is_namespaced) const;
  Verdict listed_by_new(const std::string& resource, bool is_namespaced) const;

  bool is_old_ = false;
  bool is_every_namespace_ = false;
  std::optional<bool> include_cluster_resources_;
  IncludesExcludes either_;      // old
  IncludesExcludes cluster_;     // new
  IncludesExcludes namespaced_;  // new
};

}  // namespace landfall::selection
