#include "selection/filter_policy.h"

#include "base/strings.h"

namespace landfall::selection {

Verdict KindFilter::ask(const ItemFacts& item, bool counts_labels) const {
  if (counts_labels && !labels.matches(labels_of(item))) {
    return Verdict::out(Reason::kExcludedByPolicy,
                        "its labels do not match " + quote(labels.to_string()) + " of the resource policies");
  }
  const IncludesExcludes::Answer answer = names.ask(item.name);
  if (answer.is_in) {
    return Verdict::in();
  }
  return Verdict::out(Reason::kExcludedByPolicy,
                      answer.excluded_by != nullptr
                          ? "its name is excluded by " + quote(*answer.excluded_by) + " of the resource policies"
                          : std::string("its name is not among those of the resource policies"));
}

FilterRules::InNamespace FilterRules::of(const ItemFacts& item) const {
  if (!item.name_space.empty()) return in_namespace(item.name_space, item.resource, item.kind);
  const KindFilter* filter = cluster_scoped(item.resource, item.kind);
  return {.applies = filter != nullptr, .filter = filter};
}

Verdict not_in_policy(const ItemFacts& item) {
  return Verdict::out(Reason::kExcludedByPolicy, k8s::to_string(item.resource) +
                                                     " are not among what the resource policies take of namespace " +
                                                     quote(item.name_space));
}

Status FilterRules::add(ByKind& to, const KindFilter& filter, const ResourceNames& names) {
  const auto shared = std::make_shared<const KindFilter>(filter);  // a filter may be for very many kinds
  for (const std::string& kind : filter.kinds) {
    const std::string key = names.find(kind) == nullptr ? to_lower(kind) : names.resolve(kind);
    if (!to.emplace(key, shared).second) {
      return fail(Code::kInvalid, quote(kind) + ": there are two filters for " + quote(key));
    }
  }
  return {};
}

Result<FilterRules> FilterRules::make(const FilterPolicies& policies, const ResourceNames& names) {
  FilterRules rules;
  for (const KindFilter& filter : policies.cluster_scoped) {
    TRY("clusterScopedFilterPolicy", add(rules.cluster_scoped_, filter, names));
  }
  for (const NamespacedFilterPolicy& policy : policies.namespaced) {
    Namespaced resolved;
    for (const KindFilter& filter : policy.filters) {
      if (filter.is_catch_all()) {
        resolved.catch_all = std::make_shared<const KindFilter>(filter);
      } else {
        TRY("namespacedFilterPolicies", add(resolved.by_kind, filter, names));
      }
    }
    const std::size_t number = rules.namespaced_.size();
    rules.namespaced_.push_back(std::move(resolved));
    for (const std::string& name : policy.namespaces) {
      TRY_ASSIGN(Glob glob, "namespacedFilterPolicies", Glob::compile(name));
      rules.by_name_.emplace(name, number);
      if (has_wildcard(name)) {
        rules.by_pattern_.emplace_back(std::move(glob), number);
      }
    }
  }
  return rules;
}

const KindFilter* FilterRules::find(const ByKind& among, const k8s::GroupResource& resource, std::string_view kind) {
  auto found = among.find(k8s::to_string(resource));
  if (found == among.end() && !kind.empty()) {
    found = among.find(to_lower(kind));
  }
  return found == among.end() ? nullptr : found->second.get();
}

const KindFilter* FilterRules::cluster_scoped(const k8s::GroupResource& resource, std::string_view kind) const {
  return cluster_scoped_.empty() ? nullptr : find(cluster_scoped_, resource, kind);
}

FilterRules::InNamespace FilterRules::in_namespace(std::string_view name_space, const k8s::GroupResource& resource,
                                                   std::string_view kind) const {
  if (namespaced_.empty()) {
    return {};
  }
  const Namespaced* policy = nullptr;
  if (const auto exact = by_name_.find(name_space); exact != by_name_.end()) {
    policy = &namespaced_[exact->second];
  } else {
    for (const auto& [glob, number] : by_pattern_) {
      if (glob.matches(name_space)) {
        policy = &namespaced_[number];
        break;
      }
    }
  }
  if (policy == nullptr) {
    return {};
  }
  const KindFilter* filter = find(policy->by_kind, resource, kind);
  return {.applies = true, .filter = filter == nullptr ? policy->catch_all.get() : filter};
}

}  // namespace landfall::selection
