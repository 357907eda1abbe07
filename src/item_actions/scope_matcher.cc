#include "item_actions/scope_matcher.h"

#include "selection/resource_names.h"

namespace landfall::item_actions {

Result<ScopeMatcher> ScopeMatcher::make(const extension::ActionScope& scope, const kube::Discovery& discovery) {
  const selection::ResourceNames names(discovery);
  ScopeMatcher matcher;
  TRY_ASSIGN(matcher.resources_, "resources of an action's scope",
             selection::IncludesExcludes::make(names.resolve_all(scope.included_resources),
                                               names.resolve_all(scope.excluded_resources)));
  TRY_ASSIGN(matcher.namespaces_, "namespaces of an action's scope",
             selection::IncludesExcludes::make(scope.included_namespaces, scope.excluded_namespaces));
  if (!scope.label_selector.empty()) {
    TRY_ASSIGN(matcher.labels_, "label selector of an action's scope", k8s::LabelSelector::parse(scope.label_selector));
  }
  return matcher;
}

bool ScopeMatcher::matches_resource(const k8s::GroupResource& resource) const {
  return resources_.is_in(k8s::to_string(resource));
}

bool ScopeMatcher::matches(const k8s::GroupResource& resource, std::string_view name_space,
                           const k8s::LabelSelector::Lookup& label) const {
  if (!matches_resource(resource)) return false;
  const bool is_in = name_space.empty() ? namespaces_.is_everything() : namespaces_.is_in(name_space);
  return is_in && labels_.matches(label);
}

}  // namespace landfall::item_actions
