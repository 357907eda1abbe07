#include "selection/backup_resource_rules.h"

#include <algorithm>

#include "base/strings.h"

namespace landfall::selection {
namespace {

constexpr std::string_view kNamespaces = "namespaces";

// Resolved, and without what is excluded anyway.
Names resolved_excludes(const Names& excludes, const ResourceNames& names) {
  Names resolved = names.resolve_all(excludes);
  std::erase_if(resolved, is_excluded_automatically);
  return resolved;
}

// The lists of a spec, with those of a policy where the spec says nothing about a resource.
Result<IncludesExcludes> merged(Names includes, Names excludes, const Names& policy_includes,
                                const Names& policy_excludes) {
  TRY_ASSIGN(const IncludesExcludes spec, "", IncludesExcludes::make(includes, excludes));
  const auto is_open = [&](const std::string& name) {
    return spec.includes().match(name) == nullptr && spec.excludes().match(name) == nullptr;
  };
  Names added;
  std::ranges::copy_if(policy_excludes, std::back_inserter(added), is_open);
  TRY_ASSIGN(const GlobSet excluded, "policy", GlobSet::make(added));
  std::ranges::copy_if(policy_includes, std::back_inserter(includes),
                       [&](const std::string& name) { return is_open(name) && excluded.match(name) == nullptr; });
  std::ranges::move(added, std::back_inserter(excludes));
  return IncludesExcludes::make(includes, excludes);
}

Verdict excluded(const std::string& resource, const std::string& by) {
  const std::string pattern = by == resource ? "" : " by " + quote(by);
  return Verdict::out(Reason::kResourceExcluded, resource + " are excluded" + pattern);
}

Verdict not_included(const std::string& resource) {
  return Verdict::out(Reason::kResourceNotIncluded, resource + " are not among the included resources");
}

Verdict automatic(const std::string& resource) {
  return Verdict::out(Reason::kResourceExcluded, resource + " are taken along with their volumes, never by themselves");
}

Verdict cluster_resources_off(const std::string& resource) {
  return Verdict::out(Reason::kClusterScoped, resource + " are cluster-scoped, and includeClusterResources is false");
}

Verdict by_lists(const IncludesExcludes& lists, const std::string& resource) {
  const IncludesExcludes::Answer answer = lists.ask(resource);
  if (answer.excluded_by != nullptr) {
    return excluded(resource, *answer.excluded_by);
  }
  return answer.is_in ? Verdict::in() : not_included(resource);
}

}  // namespace

Result<BackupResourceRules> BackupResourceRules::make(const BackupFilterSpec& spec, const ScopedLists* policy,
                                                      const ResourceNames& names, bool is_every_namespace) {
  BackupResourceRules rules;
  rules.is_old_ = spec.uses_old_filters();
  rules.is_every_namespace_ = is_every_namespace;
  if (rules.is_old_) {
    rules.include_cluster_resources_ = spec.include_cluster_resources;
    TRY_ASSIGN(rules.either_, "resources",
               IncludesExcludes::make(names.resolve_all(spec.included_resources),
                                      resolved_excludes(spec.excluded_resources, names)));
    return rules;
  }
  const ScopedLists none;
  const ScopedLists& more = policy == nullptr ? none : *policy;
  const ScopedLists& lists = spec.scoped;
  TRY_ASSIGN(
      rules.cluster_, "cluster-scoped resources",
      merged(names.resolve_all(lists.included_cluster_scoped), resolved_excludes(lists.excluded_cluster_scoped, names),
             names.resolve_all(more.included_cluster_scoped), resolved_excludes(more.excluded_cluster_scoped, names)));
  TRY_ASSIGN(rules.namespaced_, "namespace-scoped resources",
             merged(names.resolve_all(lists.included_namespace_scoped),
                    resolved_excludes(lists.excluded_namespace_scoped, names),
                    names.resolve_all(more.included_namespace_scoped),
                    resolved_excludes(more.excluded_namespace_scoped, names)));
  return rules;
}

Verdict BackupResourceRules::listed(const k8s::GroupResource& resource, bool is_namespaced) const {
  const std::string name = k8s::to_string(resource);
  if (is_excluded_automatically(name)) {
    return automatic(name);
  }
  return is_old_ ? listed_by_old(name, is_namespaced) : listed_by_new(name, is_namespaced);
}

Verdict BackupResourceRules::listed_by_old(const std::string& resource, bool is_namespaced) const {
  if (!is_namespaced && include_cluster_resources_ == false) {
    return cluster_resources_off(resource);
  }
  if (!is_namespaced && !include_cluster_resources_ && !is_every_namespace_ && resource != kNamespaces) {
    return Verdict::out(Reason::kClusterScoped,
                        resource +
                            " are cluster-scoped, and the backup is of some namespaces only; set "
                            "includeClusterResources to take them");
  }
  return by_lists(either_, resource);
}

Verdict BackupResourceRules::listed_by_new(const std::string& resource, bool is_namespaced) const {
  if (is_namespaced) {
    return by_lists(namespaced_, resource);
  }
  if (const std::string* by = cluster_.excludes().match(resource)) {
    return excluded(resource, *by);
  }
  const bool has_lists = !cluster_.includes().empty() || !cluster_.excludes().empty();
  if (!has_lists && is_every_namespace_ && namespaced_.is_everything()) {
    return Verdict::in();
  }
  // The Namespaces of what is taken are taken, whatever the lists include.
  if (cluster_.includes().match(resource) != nullptr || resource == kNamespaces) {
    return Verdict::in();
  }
  if (!cluster_.includes().empty()) {
    return not_included(resource);
  }
  return Verdict::out(Reason::kClusterScoped,
                      resource +
                          " are cluster-scoped, and the backup is not of everything; name them in "
                          "includedClusterScopedResources to take them");
}

Verdict BackupResourceRules::allowed(const k8s::GroupResource& resource, bool is_namespaced) const {
  const std::string name = k8s::to_string(resource);
  if (is_excluded_automatically(name)) {
    return automatic(name);
  }
  const IncludesExcludes& lists = is_old_ ? either_ : (is_namespaced ? namespaced_ : cluster_);
  if (const std::string* by = lists.excludes().match(name)) {
    return excluded(name, *by);
  }
  if (!is_old_ || is_namespaced) {
    return Verdict::in();
  }
  if (include_cluster_resources_ == false) {
    return cluster_resources_off(name);
  }
  if (!include_cluster_resources_ && !either_.is_in(name)) {
    return not_included(name);
  }
  return Verdict::in();
}

}  // namespace landfall::selection
