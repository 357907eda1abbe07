#include "backup/action_set.h"

#include <algorithm>

#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::backup {

Result<ActionSet> ActionSet::make(const std::vector<std::unique_ptr<extension::BackupItemAction>>& actions,
                                  const kube::Discovery& discovery) {
  ActionSet set;
  for (const auto& action : actions) {
    TRY_ASSIGN(item_actions::ScopeMatcher matcher, "backup item action " + action->name(),
               item_actions::ScopeMatcher::make(action->scope(), discovery));
    set.actions_.emplace_back(std::move(matcher), action.get());
  }
  return set;
}

bool ActionSet::sees(const k8s::GroupResource& resource) const {
  return std::ranges::any_of(actions_, [&](const auto& one) { return one.first.matches_resource(resource); });
}

std::vector<extension::BackupItemAction*> ActionSet::of(const k8s::GroupResource& resource,
                                                        const json::Json& object) const {
  const k8s::ObjectView view(object);
  const k8s::StringMapView labels = view.labels();
  std::vector<extension::BackupItemAction*> found;
  for (const auto& [matcher, action] : actions_) {
    if (matcher.matches(resource, view.name_space(), [&](const std::string& key) { return labels.get(key); })) {
      found.push_back(action);
    }
  }
  return found;
}

}  // namespace landfall::backup
