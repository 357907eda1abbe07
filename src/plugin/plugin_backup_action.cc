#include <fmt/format.h>

#include <utility>

#include "api/labels.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "plugin/action_scope.h"
#include "plugin/plugin_actions.h"
#include "plugin/plugin_operations.h"

namespace landfall::plugin {
namespace {

using json::Json;

// A plugin says by annotations what the protocol has no field for.
void obey_annotations(const Json& item, extension::BackupActionResult& result) {
  const Json& object = result.changed ? *result.changed : item;
  const Json* annotations = json::find(object, {"metadata", "annotations"});
  if (annotations == nullptr || !annotations->is_object()) return;
  result.skip = annotations->contains(api::annotation::kSkipFromBackup);
  const auto wish = annotations->find(api::annotation::kMustIncludeAdditionalItems);
  if (wish == annotations->end()) return;
  result.must_include = *wish == "true";
  if (!result.changed) result.changed = std::make_unique<Json>(item);
  json::erase_at(*result.changed, {"metadata", "annotations", api::annotation::kMustIncludeAdditionalItems});
}

// The messages of both versions begin alike.
template <class Request, class Stub, class Response>
Result<Response> execute_as(const ActionParts& parts, std::unique_ptr<Stub> Stubs::* stub,
                            grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                            const Json& item, const Json& backup, extension::BackupActionResult& result,
                            const std::stop_token& stop) {
  Request request;
  request.set_plugin(parts.name);
  request.set_item(json::dump_go(item));
  request.set_backup(*parts.owners->of(backup));
  TRY_ASSIGN(Response answer, "", call_plugin(*parts.slot, {parts.name, "Execute"}, stub, method, request, stop));
  TRY_ASSIGN(result.changed, fmt::format("plugin {}: Execute", parts.name),
             changed_item(request.item(), answer.item()));
  result.additional = refs_of(answer.additional_items());
  obey_annotations(item, result);
  return answer;
}

class PluginBackupAction : public extension::BackupItemAction {
 public:
  PluginBackupAction(ActionParts parts, extension::ActionScope scope)
      : parts_(std::move(parts)), scope_(std::move(scope)) {}

  std::string name() const override { return parts_.name; }
  extension::ActionScope scope() const override { return scope_; }
  Result<extension::BackupActionResult> execute(const Json& item, const Json& backup,
                                                const std::stop_token& stop) override {
    extension::BackupActionResult result;
    TRY("",
        execute_as(parts_, &Stubs::backup, &generated::BackupItemAction::Stub::Execute, item, backup, result, stop));
    return result;
  }

 protected:
  const ActionParts& parts() const { return parts_; }

 private:
  const ActionParts parts_;
  const extension::ActionScope scope_;
};

class PluginBackupActionV2 final : public PluginBackupAction {
 public:
  using PluginBackupAction::PluginBackupAction;

  Result<extension::BackupActionResult> execute(const Json& item, const Json& backup,
                                                const std::stop_token& stop) override {
    extension::BackupActionResult result;
    TRY_ASSIGN(
        const auto answer, "",
        execute_as(parts(), &Stubs::backup_v2, &::v2::BackupItemAction::Stub::Execute, item, backup, result, stop));
    result.operation_id = answer.operation_id();
    result.after_operation = refs_of(answer.post_operation_items());
    return result;
  }
  extension::Waitable* waitable() override { return &operations_; }

 private:
  PluginOperations<::v2::BackupItemAction, ::v2::BackupItemActionProgressRequest, ::v2::BackupItemActionCancelRequest>
      operations_{parts(), &Stubs::backup_v2};
};

}  // namespace

Result<std::unique_ptr<extension::BackupItemAction>> open_backup_action(const ActionParts& parts, bool is_v2,
                                                                        const std::stop_token& stop) {
  if (is_v2) {
    TRY_ASSIGN(auto scope, "", ask_scope(parts, &Stubs::backup_v2, &::v2::BackupItemAction::Stub::AppliesTo, stop));
    return std::make_unique<PluginBackupActionV2>(parts, std::move(scope));
  }
  TRY_ASSIGN(auto scope, "", ask_scope(parts, &Stubs::backup, &generated::BackupItemAction::Stub::AppliesTo, stop));
  return std::make_unique<PluginBackupAction>(parts, std::move(scope));
}

}  // namespace landfall::plugin
