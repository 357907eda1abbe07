#include <utility>

#include "json/json.h"
#include "json/parse.h"
#include "plugin/action_scope.h"
#include "plugin/plugin_actions.h"

namespace landfall::plugin {
namespace {

using json::Json;

template <class Request>
Request item_request(const ActionParts& parts, const Json& item, const Json& backup) {
  Request made;
  made.set_plugin(parts.name);
  made.set_item(json::dump_go(item));
  made.set_backup(*parts.owners->of(backup));
  return made;
}

class PluginDeleteAction final : public extension::DeleteItemAction {
 public:
  PluginDeleteAction(ActionParts parts, extension::ActionScope scope)
      : parts_(std::move(parts)), scope_(std::move(scope)) {}

  std::string name() const override { return parts_.name; }
  extension::ActionScope scope() const override { return scope_; }
  Status execute(const Json& item, const Json& backup, const std::stop_token& stop) override {
    TRY("", call_plugin(*parts_.slot, {parts_.name, "Execute"}, &Stubs::deletion,
                        &generated::DeleteItemAction::Stub::Execute,
                        item_request<generated::DeleteItemActionExecuteRequest>(parts_, item, backup), stop));
    return {};
  }

 private:
  const ActionParts parts_;
  const extension::ActionScope scope_;
};

class PluginItemBlockAction final : public extension::ItemBlockAction {
 public:
  PluginItemBlockAction(ActionParts parts, extension::ActionScope scope)
      : parts_(std::move(parts)), scope_(std::move(scope)) {}

  std::string name() const override { return parts_.name; }
  extension::ActionScope scope() const override { return scope_; }
  Result<std::vector<k8s::ObjectRef>> related_items(const Json& item, const Json& backup,
                                                    const std::stop_token& stop) override {
    TRY_ASSIGN(const auto answer, "",
               call_plugin(*parts_.slot, {parts_.name, "GetRelatedItems"}, &Stubs::item_block,
                           &::v1::ItemBlockAction::Stub::GetRelatedItems,
                           item_request<::v1::ItemBlockActionGetRelatedItemsRequest>(parts_, item, backup), stop));
    return refs_of(answer.related_items());
  }

 private:
  const ActionParts parts_;
  const extension::ActionScope scope_;
};

}  // namespace

Result<std::unique_ptr<extension::DeleteItemAction>> open_delete_action(const ActionParts& parts,
                                                                        const std::stop_token& stop) {
  TRY_ASSIGN(auto scope, "", ask_scope(parts, &Stubs::deletion, &generated::DeleteItemAction::Stub::AppliesTo, stop));
  return std::make_unique<PluginDeleteAction>(parts, std::move(scope));
}

Result<std::unique_ptr<extension::ItemBlockAction>> open_item_block_action(const ActionParts& parts,
                                                                           const std::stop_token& stop) {
  TRY_ASSIGN(auto scope, "", ask_scope(parts, &Stubs::item_block, &::v1::ItemBlockAction::Stub::AppliesTo, stop));
  return std::make_unique<PluginItemBlockAction>(parts, std::move(scope));
}

}  // namespace landfall::plugin
