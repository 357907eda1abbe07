#include "selection/backup_filter_spec.h"

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "json/json.h"
#include "selection/item_facts.h"
#include "selection/resource_policies.h"
#include "selection/spec_reader.h"

namespace landfall::selection {
namespace {

bool has(const Names& names, std::string_view name) { return std::ranges::find(names, name) != names.end(); }

Names without_automatic(const Names& names) {
  Names rest;
  std::ranges::remove_copy_if(names, std::back_inserter(rest), is_excluded_automatically);
  return rest;
}

void exclude(Names& includes, Names& excludes, std::string_view name) {
  if (!has(excludes, name)) {
    excludes.emplace_back(name);
  }
  if (includes.size() > 1) {
    std::erase(includes, name);
  }
}

std::set<std::string> labelled_of(const std::vector<LiveNamespace>& live) {
  std::set<std::string> labelled;
  for (const LiveNamespace& one : live) {
    if (one.has_exclude_label) {
      labelled.insert(one.name);
    }
  }
  return labelled;
}

void add_namespace_problems(Messages& problems, const BackupFilterSpec& spec, const std::vector<LiveNamespace>& live) {
  const std::set<std::string> labelled = labelled_of(live);
  const auto is_labelled = [&](const std::string& name) { return labelled.contains(name); };
  Messages found;
  for (const std::string& name : spec.included_namespaces) {
    if (is_labelled(name)) {
      found.push_back(quote(name) + " is included, but has the label " + std::string(kExcludeFromBackupLabel) +
                      "=true; remove one of both");
    }
  }
  Names excludes = spec.excluded_namespaces;
  std::erase_if(excludes, is_labelled);
  std::ranges::move(namespace_list_problems(spec.included_namespaces, excludes), std::back_inserter(found));
  add_problems(problems, "included/excluded namespaces", found);
}

void add_policy_problems(Messages& problems, const BackupFilterSpec& spec, const ResourcePolicies* policies) {
  if (policies == nullptr || !spec.uses_old_filters()) {
    return;
  }
  static const std::string kOld =
      "includedResources, excludedResources and includeClusterResources cannot be used with ";
  if (policies->include_exclude) {
    problems.push_back(kOld + "the includeExcludePolicy of the resource policies");
  }
  if (!policies->filters.empty()) {
    problems.push_back(kOld + "the clusterScopedFilterPolicy or namespacedFilterPolicies of the resource policies");
  }
}

}  // namespace

bool is_excluded_automatically(std::string_view resource) {
  return resource == kVolumeSnapshots || resource == kVolumeSnapshotContents;
}

BackupFilterSpec read_backup_filter_spec(const json::Json& spec, Messages& problems) {
  const SpecReader read(spec, problems);
  BackupFilterSpec filters;
  filters.included_namespaces = read.names("includedNamespaces");
  filters.excluded_namespaces = read.names("excludedNamespaces");
  filters.included_resources = read.names("includedResources");
  filters.excluded_resources = read.names("excludedResources");
  filters.include_cluster_resources = read.flag("includeClusterResources");
  filters.scoped.included_cluster_scoped = read.names("includedClusterScopedResources");
  filters.scoped.excluded_cluster_scoped = read.names("excludedClusterScopedResources");
  filters.scoped.included_namespace_scoped = read.names("includedNamespaceScopedResources");
  filters.scoped.excluded_namespace_scoped = read.names("excludedNamespaceScopedResources");
  filters.label_selector = read.selector("labelSelector");
  filters.or_label_selectors = read.selectors("orLabelSelectors");
  return filters;
}

Messages backup_filter_problems(const BackupFilterSpec& spec, const ResourcePolicies* policies,
                                const std::vector<LiveNamespace>& live) {
  Messages problems;
  // After completion the automatic excludes are in the lists of either kind; they are no filter of the user's.
  const ScopedLists& scoped = spec.scoped;
  const Names excluded = without_automatic(spec.excluded_resources);
  const Names excluded_cluster = without_automatic(scoped.excluded_cluster_scoped);
  const Names excluded_namespaced = without_automatic(scoped.excluded_namespace_scoped);
  const bool has_new = !scoped.included_cluster_scoped.empty() || !scoped.included_namespace_scoped.empty() ||
                       !excluded_cluster.empty() || !excluded_namespaced.empty();
  if (spec.uses_old_filters() && has_new) {
    problems.emplace_back(
        "includedResources, excludedResources and includeClusterResources cannot be used together with the filters of "
        "one scope (included/excludedClusterScopedResources, included/excludedNamespaceScopedResources); use either");
  }
  if (spec.uses_old_filters()) {
    add_problems(problems, "included/excluded resources", list_problems(spec.included_resources, excluded));
  } else {
    add_problems(problems, "included/excluded cluster-scoped resources",
                 scoped_list_problems(scoped.included_cluster_scoped, excluded_cluster));
    add_problems(problems, "included/excluded namespace-scoped resources",
                 scoped_list_problems(scoped.included_namespace_scoped, excluded_namespaced));
  }
  add_namespace_problems(problems, spec, live);
  if (spec.label_selector && !spec.or_label_selectors.empty()) {
    problems.emplace_back("labelSelector and orLabelSelectors cannot be used together; use either");
  }
  add_policy_problems(problems, spec, policies);
  return problems;
}

BackupFilterSpec completed(BackupFilterSpec spec, const std::vector<LiveNamespace>& live) {
  if (spec.included_namespaces.empty()) {
    spec.included_namespaces = {"*"};
  }
  std::set<std::string> labelled = labelled_of(live);
  for (const std::string& name : spec.excluded_namespaces) {
    labelled.erase(name);
  }
  spec.excluded_namespaces.insert(spec.excluded_namespaces.end(), labelled.begin(), labelled.end());
  if (spec.uses_old_filters()) {
    exclude(spec.included_resources, spec.excluded_resources, kVolumeSnapshots);
    exclude(spec.included_resources, spec.excluded_resources, kVolumeSnapshotContents);
    return spec;
  }
  ScopedLists& scoped = spec.scoped;
  if (!has(scoped.excluded_namespace_scoped, "*")) {
    exclude(scoped.included_namespace_scoped, scoped.excluded_namespace_scoped, kVolumeSnapshots);
  }
  if (!has(scoped.excluded_cluster_scoped, "*")) {
    exclude(scoped.included_cluster_scoped, scoped.excluded_cluster_scoped, kVolumeSnapshotContents);
  }
  return spec;
}

}  // namespace landfall::selection
