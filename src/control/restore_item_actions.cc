#include "control/restore_item_actions.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "hooks/init_hook_action.h"

namespace landfall::control {
namespace {

class SharedRestoreAction final : public extension::RestoreItemAction {
 public:
  explicit SharedRestoreAction(std::shared_ptr<extension::RestoreItemAction> action) : action_(std::move(action)) {}

  std::string name() const override { return action_->name(); }
  extension::ActionScope scope() const override { return action_->scope(); }
  Result<extension::RestoreActionResult> execute(const extension::RestoreActionInput& input,
                                                 const std::stop_token& stop) override {
    return action_->execute(input, stop);
  }
  Result<bool> are_ready(const std::vector<k8s::ObjectRef>& additional, const json::Json& restore,
                         const std::stop_token& stop) override {
    return action_->are_ready(additional, restore, stop);
  }
  extension::Waitable* waitable() override { return action_->waitable(); }
  bool changes_cluster() const override { return action_->changes_cluster(); }

 private:
  const std::shared_ptr<extension::RestoreItemAction> action_;
};

}  // namespace

Result<SharedRestoreActions> open_plugin_actions(const RestoreSettings& settings, const Logger& log,
                                                 const std::stop_token& stop) {
  if (settings.plugins == nullptr) return SharedRestoreActions();
  TRY_ASSIGN(RestoreActions opened, "actions of plugins", settings.plugins->restore_actions(log, stop));
  return SharedRestoreActions(std::make_move_iterator(opened.begin()), std::make_move_iterator(opened.end()));
}

RestoreActions restore_actions_of(const RestoreSettings& settings, const item_actions::RestoreActionContext& context,
                                  const kube::Discovery& discovery, const hooks::RestoreHooks& hooks,
                                  const SharedRestoreActions& of_plugins) {
  RestoreActions actions;
  if (settings.make_actions) actions = settings.make_actions(context, discovery);
  for (const auto& one : of_plugins) actions.push_back(std::make_unique<SharedRestoreAction>(one));
  actions.push_back(hooks::make_init_hook_action(hooks, context.spec.namespace_mapping));
  std::ranges::stable_sort(actions, {}, [](const auto& action) { return action->name(); });
  return actions;
}

}  // namespace landfall::control
