#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "extension/item_action.h"
#include "item_actions/scope_matcher.h"
#include "kube/discovery.h"

namespace landfall::backup {

// The actions of one backup with the objects that each is for. Immutable; borrows the actions.
template <class Action>
class ActionSetOf {
 public:
  static Result<ActionSetOf> make(std::span<const std::unique_ptr<Action>> actions, const kube::Discovery& discovery);

  // Whether any action may want to see an object of the kind; others pass as they are.
  bool sees(const k8s::GroupResource& resource) const;
  // Those for one object, in order.
  std::vector<Action*> of(const k8s::GroupResource& resource, const json::Json& object) const;

 private:
  std::vector<std::pair<item_actions::ScopeMatcher, Action*>> actions_;
};

using ActionSet = ActionSetOf<extension::BackupItemAction>;
using BlockActionSet = ActionSetOf<extension::ItemBlockAction>;

}  // namespace landfall::backup
