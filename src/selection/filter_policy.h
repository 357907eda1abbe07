#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "selection/includes_excludes.h"
#include "selection/item_facts.h"
#include "selection/label_filter.h"
#include "selection/resource_names.h"
#include "selection/verdict.h"

namespace landfall::selection {

// The fine-grained filters of the resource policies (clusterScopedFilterPolicy and namespacedFilterPolicies), for
// backups and restores.

// Which objects of some kinds are taken. For these kinds it replaces the label selectors of the backup or restore.
struct KindFilter {
  Names kinds;  // as written; none, or "*" alone: all kinds that no other filter names
  LabelFilter labels;
  IncludesExcludes names;

  bool is_catch_all() const { return kinds.empty() || (kinds.size() == 1 && kinds.front() == "*"); }
  Verdict ask(const ItemFacts& item, bool counts_labels) const;
};

struct NamespacedFilterPolicy {
  Names namespaces;  // names and patterns
  std::vector<KindFilter> filters;
};

struct FilterPolicies {
  std::vector<KindFilter> cluster_scoped;
  std::vector<NamespacedFilterPolicy> namespaced;

  bool empty() const { return cluster_scoped.empty() && namespaced.empty(); }
};

// The policies with their kinds resolved. An immutable value.
class FilterRules {
 public:
  // kInvalid when a kind is filtered twice under two names.
  static Result<FilterRules> make(const FilterPolicies& policies, const ResourceNames& names);

  // Null: no filter for the kind, which leaves it to the other filters.
  const KindFilter* cluster_scoped(const k8s::GroupResource& resource, std::string_view kind) const;

  // In a namespace that a policy names only the kinds with a filter are in: `applies` without a filter means out. A
  // policy that has the very name goes before one with a pattern; of several patterns the first counts.
  struct InNamespace {
    bool applies = false;
    const KindFilter* filter = nullptr;
  };
  InNamespace in_namespace(std::string_view name_space, const k8s::GroupResource& resource,
                           std::string_view kind) const;
  // Whichever of the two an object falls under.
  InNamespace of(const ItemFacts& item) const;
  bool has_namespaced() const { return !namespaced_.empty(); }

 private:
  // By resolved name; a kind that the server does not know stays as written, in lower case.
  using ByKind = std::map<std::string, std::shared_ptr<const KindFilter>, std::less<>>;
  struct Namespaced {
    ByKind by_kind;
    std::shared_ptr<const KindFilter> catch_all;  // may be null
  };
  static Status add(ByKind& to, const KindFilter& filter, const ResourceNames& names);
  static const KindFilter* find(const ByKind& among, const k8s::GroupResource& resource, std::string_view kind);

  ByKind cluster_scoped_;
  std::vector<Namespaced> namespaced_;
  std::map<std::string, std::size_t, std::less<>> by_name_;
  std::vector<std::pair<Glob, std::size_t>> by_pattern_;
};

Verdict not_in_policy(const ItemFacts& item);

}  // namespace landfall::selection
