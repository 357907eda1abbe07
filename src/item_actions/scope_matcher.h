#pragma once

#include <string_view>

#include "base/result.h"
#include "extension/item_action.h"
#include "k8s/kinds.h"
#include "k8s/label_selector.h"
#include "kube/discovery.h"
#include "selection/includes_excludes.h"

namespace landfall::item_actions {

// Says which objects an action is for. An immutable value: safe to ask from several threads.
//
// Resources are written as people write them and compared as "deployments.apps"; a name that the server does not know
// stays as it is, and so matches nothing unless it is a pattern. As in Velero, an action that names namespaces sees no
// cluster-scoped object, and one whose lists are empty sees everything.
class ScopeMatcher {
 public:
  // kInvalid for a pattern or a selector that cannot be read. The discovery is needed only during the call.
  static Result<ScopeMatcher> make(const extension::ActionScope& scope, const kube::Discovery& discovery);

  // Whether objects of this kind can be in scope at all. Asked once a kind: what no action can see needs no document.
  bool matches_resource(const k8s::GroupResource& resource) const;
  // No namespace: a cluster-scoped object.
  bool matches(const k8s::GroupResource& resource, std::string_view name_space,
               const k8s::LabelSelector::Lookup& label) const;

 private:
  selection::IncludesExcludes resources_;
  selection::IncludesExcludes namespaces_;
  k8s::LabelSelector labels_;
};

}  // namespace landfall::item_actions
