#include "selection/restore_filter.h"

#include <algorithm>

#include "base/strings.h"
#include "selection/resource_names.h"
#include "selection/resource_policies.h"

namespace landfall::selection {
namespace {

bool is_always_restored(const k8s::GroupResource& resource) {
  return std::ranges::find(always_restored(), k8s::to_string(resource)) != always_restored().end();
}

}  // namespace

Result<RestoreFilter> RestoreFilter::make(const RestoreFilterSpec& spec, const ResourcePolicies* policies,
                                          const kube::Discovery& discovery) {
  if (const Messages problems = restore_filter_problems(spec, policies); !problems.empty()) {
    return fail(Code::kInvalid, join(problems, "; "));
  }
  const ResourceNames names(discovery);
  RestoreFilter filter;
  TRY_ASSIGN(
      filter.resources_, "resources",
      IncludesExcludes::make(names.resolve_all(spec.included_resources), names.resolve_all(spec.excluded_resources)));
  Names never = names.resolve_all(never_restored());
  never.insert(never.end(), never_restored().begin(), never_restored().end());
  TRY_ASSIGN(filter.never_, "", IncludesExcludes::make({}, never));
  // Not expanded: a pattern matches the namespaces of the backup as it stands.
  TRY_ASSIGN(filter.namespaces_, "namespaces",
             IncludesExcludes::make(spec.included_namespaces, spec.excluded_namespaces));
  if (spec.restore_status) {
    TRY_ASSIGN(filter.status_, "restoreStatus",
               IncludesExcludes::make(names.resolve_all(spec.restore_status->included_resources),
                                      names.resolve_all(spec.restore_status->excluded_resources)));
  }
  TRY_ASSIGN(filter.policy_, "resource policies",
             FilterRules::make(policies == nullptr ? FilterPolicies() : policies->filters, names));
  filter.include_cluster_resources_ = spec.include_cluster_resources;
  filter.mapping_ = spec.namespace_mapping;
  filter.labels_ = LabelFilter(spec.label_selector, spec.or_label_selectors);
  return filter;
}

Verdict RestoreFilter::resource(const k8s::GroupResource& resource) const {
  if (is_always_restored(resource)) {
    return Verdict::in();
  }
  const std::string name = k8s::to_string(resource);
  if (!never_.is_in(name)) {
    return Verdict::out(Reason::kNeverRestored, name + " are never restored");
  }
  const IncludesExcludes::Answer answer = resources_.ask(name);
  if (answer.excluded_by != nullptr) {
    const std::string by = *answer.excluded_by == name ? "" : " by " + quote(*answer.excluded_by);
    return Verdict::out(Reason::kResourceExcluded, name + " are excluded" + by);
  }
  return answer.is_in ? Verdict::in()
                      : Verdict::out(Reason::kResourceNotIncluded, name + " are not among the included resources");
}

Verdict RestoreFilter::item(const ItemFacts& item, Met met) const {
  if (met != Met::kAsMustInclude) {
    if (Verdict verdict = by_filters(item, met); !verdict) {
      return verdict;
    }
  }
  if (item.is_completed) {
    return Verdict::out(Reason::kCompleted, describe(item) + " had finished when it was backed up");
  }
  if (item.is_mirror_pod) {
    return Verdict::out(Reason::kMirrorPod, describe(item) + " is a mirror pod: its kubelet makes it from a file");
  }
  return Verdict::in();
}

Verdict RestoreFilter::by_filters(const ItemFacts& item, Met met) const {
  if (Verdict verdict = resource(item.resource); !verdict) {
    return verdict;
  }
  if (Verdict verdict = by_scope(item, met); !verdict) {
    return verdict;
  }
  if (met == Met::kDirectly && !is_always_restored(item.resource)) {
    return by_policy_and_labels(item);
  }
  return Verdict::in();
}

Verdict RestoreFilter::by_scope(const ItemFacts& item, Met met) const {
  if (!item.name_space.empty()) {
    if (is_always_restored(item.resource)) {
      return Verdict::in();
    }
    const IncludesExcludes::Answer answer = namespaces_.ask(item.name_space);
    if (answer.excluded_by != nullptr) {
      const std::string by = *answer.excluded_by == item.name_space ? "" : " by " + quote(*answer.excluded_by);
      return Verdict::out(Reason::kNamespaceExcluded, "namespace " + quote(item.name_space) + " is excluded" + by);
    }
    return answer.is_in ? Verdict::in()
                        : Verdict::out(Reason::kNamespaceNotIncluded,
                                       "namespace " + quote(item.name_space) + " is not among those included");
  }
  if (include_cluster_resources_ == false) {
    return Verdict::out(Reason::kClusterScoped, "it is cluster-scoped, and includeClusterResources is false");
  }
  if (met == Met::kDirectly && !include_cluster_resources_ && !namespaces_.is_everything()) {
    return Verdict::out(Reason::kClusterScoped,
                        "it is cluster-scoped, and the restore is of some namespaces only; set "
                        "includeClusterResources to restore it");
  }
  return Verdict::in();
}

Verdict RestoreFilter::by_policy_and_labels(const ItemFacts& item) const {
  const FilterRules::InNamespace found = policy_.of(item);
  if (found.applies) {
    return found.filter == nullptr ? not_in_policy(item) : found.filter->ask(item, true);
  }
  if (!labels_.matches(labels_of(item))) {
    return Verdict::out(Reason::kLabelsDoNotMatch, "its labels do not match " + quote(labels_.to_string()));
  }
  return Verdict::in();
}

std::string RestoreFilter::target_namespace(std::string_view original) const {
  const auto found = mapping_.find(std::string(original));
  return found == mapping_.end() ? std::string(original) : found->second;
}

bool RestoreFilter::restores_status(const k8s::GroupResource& resource,
                                    std::optional<std::string_view> annotation) const {
  const std::string says = annotation ? to_lower(trim(*annotation)) : "";
  if (says == "true" || says == "false") {
    return says == "true";
  }
  return status_ && status_->is_in(k8s::to_string(resource));
}

}  // namespace landfall::selection
