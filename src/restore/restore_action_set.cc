#include "restore/restore_action_set.h"

#include <algorithm>
#include <utility>

#include "k8s/object_view.h"

namespace landfall::restore {

Result<RestoreActionSet> RestoreActionSet::make(
    const std::vector<std::unique_ptr<extension::RestoreItemAction>>& actions, const kube::Discovery& discovery,
    bool has_csi) {
  RestoreActionSet set;
  for (const auto& action : actions) {
    if (!has_csi && action->name().starts_with("velero.io/csi-")) continue;
    TRY_ASSIGN(item_actions::ScopeMatcher matcher, "restore item action " + action->name(),
               item_actions::ScopeMatcher::make(action->scope(), discovery));
    set.entries_.push_back({std::move(matcher), action.get()});
  }
  return set;
}

std::shared_ptr<const RestoreActionSet::Actions> RestoreActionSet::known(const k8s::GroupResource& resource) const {
  return by_resource_->with([&](auto& known) {
    std::shared_ptr<const Actions>& actions = known[resource];
    if (actions) return actions;
    Actions found;
    for (const Entry& one : entries_) {
      if (one.matcher.matches_resource(resource)) found.push_back(one.action);
    }
    actions = std::make_shared<const Actions>(std::move(found));
    return actions;
  });
}

bool RestoreActionSet::sees(const k8s::GroupResource& resource) const { return !known(resource)->empty(); }

std::vector<extension::RestoreItemAction*> RestoreActionSet::all_for(const k8s::GroupResource& resource) const {
  return *known(resource);
}

bool RestoreActionSet::matches(const extension::RestoreItemAction* action, const k8s::GroupResource& resource,
                               std::string_view name_space, const json::Json& object) const {
  const auto entry = std::ranges::find_if(entries_, [&](const Entry& one) { return one.action == action; });
  const k8s::StringMapView labels = k8s::ObjectView(object).labels();
  return entry != entries_.end() &&
         entry->matcher.matches(resource, name_space, [&labels](const std::string& key) { return labels.get(key); });
}

}  // namespace landfall::restore
