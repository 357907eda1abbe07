#pragma once

#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "base/guarded.h"
#include "base/result.h"
#include "extension/item_action.h"
#include "item_actions/scope_matcher.h"
#include "json/json_fwd.h"
#include "kube/discovery.h"

namespace landfall::restore {

// The actions of one restore with the objects that each is for. Borrows the actions. Thread-safe.
class RestoreActionSet {
 public:
  // Without `has_csi` velero.io/csi-* are left out, whoever brings them.
  static Result<RestoreActionSet> make(const std::vector<std::unique_ptr<extension::RestoreItemAction>>& actions,
                                       const kube::Discovery& discovery, bool has_csi);

  // Whether any action may want to see objects of the kind.
  bool sees(const k8s::GroupResource& resource) const;
  // Those for one object, in order. By its namespace in the cluster; an action may change the labels, so each is asked
  // when its turn comes.
  std::vector<extension::RestoreItemAction*> all_for(const k8s::GroupResource& resource) const;
  bool matches(const extension::RestoreItemAction* action, const k8s::GroupResource& resource,
               std::string_view name_space, const json::Json& object) const;

 private:
  struct Entry {
    item_actions::ScopeMatcher matcher;
    extension::RestoreItemAction* action = nullptr;
  };
  using Actions = std::vector<extension::RestoreItemAction*>;
  std::shared_ptr<const Actions> known(const k8s::GroupResource& resource) const;

  std::vector<Entry> entries_;
  // Asked for every item, and always the same; shared by copies.
  std::shared_ptr<Guarded<std::map<k8s::GroupResource, std::shared_ptr<const Actions>>>> by_resource_ =
      std::make_shared<Guarded<std::map<k8s::GroupResource, std::shared_ptr<const Actions>>>>();
};

}  // namespace landfall::restore
