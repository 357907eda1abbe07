#include "hooks/hook_selector.h"

#include "k8s/object_view.h"
#include "selection/resource_names.h"

namespace landfall::hooks {

Result<HookSelector> HookSelector::make(const api::HookFilter& filter, const kube::Discovery& discovery) {
  const selection::ResourceNames names(discovery);
  HookSelector selector;
  TRY_ASSIGN(const auto resources, "resources",
             selection::IncludesExcludes::make(names.resolve_all(filter.included_resources),
                                               names.resolve_all(filter.excluded_resources)));
  selector.is_for_pods_ = resources.is_in("pods");
  TRY_ASSIGN(selector.namespaces_, "namespaces",
             selection::IncludesExcludes::make(filter.included_namespaces, filter.excluded_namespaces));
  selector.labels_ = filter.selector;
  return selector;
}

bool HookSelector::matches(const json::Json& pod) const {
  return namespaces_.is_in(k8s::ObjectView(pod).name_space()) && (!labels_ || labels_->matches_object(pod));
}

}  // namespace landfall::hooks
