#include "backup/action_set.h"

#include <algorithm>

#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::backup {

template <class Action>
Result<ActionSetOf<Action>> ActionSetOf<Action>::make(std::span<const std::unique_ptr<Action>> actions,
                                                      const kube::Discovery& discovery) {
  ActionSetOf set;
  for (const auto& action : actions) {
    TRY_ASSIGN(item_actions::ScopeMatcher matcher, "item action " + action->name(),
               item_actions::ScopeMatcher::make(action->scope(), discovery));
    set.actions_.emplace_back(std::move(matcher), action.get());
  }
  return set;
}

template <class Action>
bool ActionSetOf<Action>::sees(const k8s::GroupResource& resource) const {
  return std::ranges::any_of(actions_, [&](const auto& one) { return one.first.matches_resource(resource); });
}

template <class Action>
std::vector<Action*> ActionSetOf<Action>::of(const k8s::GroupResource& resource, const json::Json& object) const {
  const k8s::ObjectView view(object);
  const k8s::StringMapView labels = view.labels();
  std::vector<Action*> found;
  for (const auto& [matcher, action] : actions_) {
    if (matcher.matches(resource, view.name_space(), [&](const std::string& key) { return labels.get(key); })) {
      found.push_back(action);
    }
  }
  return found;
}

template class ActionSetOf<extension::BackupItemAction>;
template class ActionSetOf<extension::ItemBlockAction>;

}  // namespace landfall::backup
