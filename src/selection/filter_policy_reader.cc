#include "selection/filter_policy_reader.h"

#include <set>

#include "base/strings.h"
#include "json/json.h"
#include "k8s/label_selector_json.h"
#include "selection/list_rules.h"

namespace landfall::selection {
namespace {

// Nothing when it is missing or empty, which restricts nothing.
Result<std::optional<k8s::LabelSelector>> read_selector(const json::Json* value, const std::string& place) {
  if (value == nullptr) {
    return std::optional<k8s::LabelSelector>();
  }
  TRY("", PolicyNode::open(*value, place, {"matchLabels", "matchExpressions"}));
  if (value->empty()) {
    return std::optional<k8s::LabelSelector>();
  }
  TRY_ASSIGN(k8s::LabelSelector selector, place, k8s::label_selector_from_json(value));
  return selector.empty() ? std::optional<k8s::LabelSelector>()
                          : std::optional<k8s::LabelSelector>(std::move(selector));
}

Result<LabelFilter> read_labels(const PolicyNode& node) {
  TRY_ASSIGN(auto all_of, "", read_selector(node.find("labelSelector"), node.path_to("labelSelector")));
  TRY_ASSIGN(const auto written, "", node.list("orLabelSelectors"));
  if (all_of && !written.empty()) {
    return node.error("orLabelSelectors", "cannot be used together with labelSelector");
  }
  std::vector<k8s::LabelSelector> any_of;
  for (std::size_t at = 0; at < written.size(); ++at) {
    TRY_ASSIGN(auto selector, "", read_selector(written[at], element(node.path_to("orLabelSelectors"), at)));
    if (selector) {
      any_of.push_back(*std::move(selector));
    }
  }
  return LabelFilter(std::move(all_of), std::move(any_of));
}

Result<KindFilter> read_filter(const json::Json& value, const std::string& place) {
  TRY_ASSIGN(const PolicyNode node, "",
             PolicyNode::open(value, place, {"kinds", "labelSelector", "orLabelSelectors", "names", "excludedNames"}));
  KindFilter filter;
  TRY_ASSIGN(filter.kinds, "", node.texts("kinds"));
  TRY_ASSIGN(filter.labels, "", read_labels(node));
  TRY_ASSIGN(const Names names, "", node.texts("names"));
  TRY_ASSIGN(const Names excluded, "", node.texts("excludedNames"));
  TRY_ASSIGN(filter.names, place, IncludesExcludes::make(names, excluded));
  if (filter.is_catch_all() && (!names.empty() || !excluded.empty())) {
    return fail(Code::kInvalid, place + ": a filter for all kinds cannot have names or excludedNames");
  }
  return filter;
}

Result<std::vector<KindFilter>> read_filters(const PolicyNode& node) {
  TRY_ASSIGN(const auto written, "", node.list("resourceFilters"));
  if (written.empty()) {
    return node.error("resourceFilters", "must have at least one filter");
  }
  std::vector<KindFilter> filters;
  std::set<std::string> kinds;
  bool has_catch_all = false;
  for (std::size_t at = 0; at < written.size(); ++at) {
    const std::string place = element(node.path_to("resourceFilters"), at);
    TRY_ASSIGN(KindFilter filter, "", read_filter(*written[at], place));
    if (filter.is_catch_all() && std::exchange(has_catch_all, true)) {
      return fail(Code::kInvalid, place + ": there can be only one filter for all kinds");
    }
    for (const std::string& kind : filter.kinds) {
      if (kind != "*" && !kinds.insert(kind).second) {
        return fail(Code::kInvalid, place + ": kind " + quote(kind) + " has a filter already");
      }
    }
    filters.push_back(std::move(filter));
  }
  return filters;
}

Result<std::vector<KindFilter>> read_cluster_scoped(const PolicyNode& root) {
  const json::Json* value = root.find("clusterScopedFilterPolicy");
  if (value == nullptr) {
    return std::vector<KindFilter>();
  }
  TRY_ASSIGN(const PolicyNode node, "", PolicyNode::open(*value, "clusterScopedFilterPolicy", {"resourceFilters"}));
  TRY_ASSIGN(std::vector<KindFilter> filters, "", read_filters(node));
  for (std::size_t at = 0; at < filters.size(); ++at) {
    if (filters[at].is_catch_all()) {
      return fail(Code::kInvalid, element(node.path_to("resourceFilters"), at) + ": kinds must be named here");
    }
  }
  return filters;
}

Status check_namespaces(const PolicyNode& node, const Names& namespaces, std::set<std::string>& seen) {
  if (namespaces.empty()) {
    return node.error("namespaces", "must have at least one namespace");
  }
  for (const std::string& name : namespaces) {
    if (const Messages problems = namespace_pattern_problems(name); !problems.empty()) {
      return node.error("namespaces", problems.front());
    }
    if (!seen.insert(name).second) {
      return node.error("namespaces", quote(name) + " is named twice");
    }
    if (seen.size() > GlobSet::kMaxWildcards) {
      return node.error("namespaces", "more than " + std::to_string(GlobSet::kMaxWildcards) + " in all policies");
    }
  }
  return {};
}

}  // namespace

Result<FilterPolicies> read_filter_policies(const PolicyNode& root) {
  FilterPolicies policies;
  TRY_ASSIGN(policies.cluster_scoped, "", read_cluster_scoped(root));
  TRY_ASSIGN(const auto written, "", root.list("namespacedFilterPolicies"));
  std::set<std::string> seen;
  for (std::size_t at = 0; at < written.size(); ++at) {
    TRY_ASSIGN(
        const PolicyNode node, "",
        PolicyNode::open(*written[at], element("namespacedFilterPolicies", at), {"namespaces", "resourceFilters"}));
    NamespacedFilterPolicy policy;
    TRY_ASSIGN(policy.namespaces, "", node.texts("namespaces"));
    TRY("", check_namespaces(node, policy.namespaces, seen));
    TRY_ASSIGN(policy.filters, "", read_filters(node));
    policies.namespaced.push_back(std::move(policy));
  }
  return policies;
}

}  // namespace landfall::selection
