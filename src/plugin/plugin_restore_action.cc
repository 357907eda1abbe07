#include <fmt/format.h>

#include <utility>

#include "json/json.h"
#include "json/parse.h"
#include "plugin/action_scope.h"
#include "plugin/plugin_actions.h"
#include "plugin/plugin_operations.h"

namespace landfall::plugin {
namespace {

using json::Json;

constexpr std::int64_t kLongestSeconds = 1'000'000'000;

// The messages of both versions begin alike.
template <class Request, class Stub, class Response>
Result<Response> execute_as(const ActionParts& parts, std::unique_ptr<Stub> Stubs::* stub,
                            grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                            const extension::RestoreActionInput& input, extension::RestoreActionResult& result,
                            const std::stop_token& stop) {
  Request request;
  request.set_plugin(parts.name);
  request.set_item(json::dump_go(input.item));
  request.set_item_from_backup(json::dump_go(input.from_backup));
  request.set_restore(*parts.owners->of(input.restore));
  TRY_ASSIGN(Response answer, "", call_plugin(*parts.slot, {parts.name, "Execute"}, stub, method, request, stop));
  result.skip = answer.skip_restore();
  // What is not restored need not be sent back.
  if (!result.skip) {
    TRY_ASSIGN(result.changed, fmt::format("plugin {}: Execute", parts.name),
               changed_item(request.item(), answer.item()));
  }
  result.additional = refs_of(answer.additional_items());
  return answer;
}

class PluginRestoreAction : public extension::RestoreItemAction {
 public:
  PluginRestoreAction(ActionParts parts, extension::ActionScope scope)
      : parts_(std::move(parts)), scope_(std::move(scope)) {}

  std::string name() const override { return parts_.name; }
  extension::ActionScope scope() const override { return scope_; }
  Result<extension::RestoreActionResult> execute(const extension::RestoreActionInput& input,
                                                 const std::stop_token& stop) override {
    extension::RestoreActionResult result;
    TRY("", execute_as(parts_, &Stubs::restore, &generated::RestoreItemAction::Stub::Execute, input, result, stop));
    return result;
  }
  // Nobody knows what it does.
  bool changes_cluster() const override { return true; }

 protected:
  const ActionParts& parts() const { return parts_; }

 private:
  const ActionParts parts_;
  const extension::ActionScope scope_;
};

class PluginRestoreActionV2 final : public PluginRestoreAction {
 public:
  using PluginRestoreAction::PluginRestoreAction;

  Result<extension::RestoreActionResult> execute(const extension::RestoreActionInput& input,
                                                 const std::stop_token& stop) override {
    extension::RestoreActionResult result;
    TRY_ASSIGN(const auto answer, "",
               execute_as(parts(), &Stubs::restore_v2, &::v2::RestoreItemAction::Stub::Execute, input, result, stop));
    result.operation_id = answer.operation_id();
    result.waits_for_additional = answer.wait_for_additional_items();
    const std::int64_t seconds = answer.additional_items_ready_timeout().seconds();
    if (seconds >= 0 && seconds <= kLongestSeconds) {
      result.additional_timeout =
          std::chrono::seconds(seconds) + std::chrono::nanoseconds(answer.additional_items_ready_timeout().nanos());
    }
    return result;
  }

  Result<bool> are_ready(const std::vector<k8s::ObjectRef>& additional, const Json& restore,
                         const std::stop_token& stop) override {
    ::v2::RestoreItemActionItemsReadyRequest request;
    request.set_plugin(parts().name);
    request.set_restore(*parts().owners->of(restore));
    add_refs(*request.mutable_additional_items(), additional);
    TRY_ASSIGN(const auto answer, "",
               call_plugin(*parts().slot, {parts().name, "AreAdditionalItemsReady"}, &Stubs::restore_v2,
                           &::v2::RestoreItemAction::Stub::AreAdditionalItemsReady, request, stop));
    return answer.ready();
  }
  extension::Waitable* waitable() override { return &operations_; }

 private:
  PluginOperations<::v2::RestoreItemAction, ::v2::RestoreItemActionProgressRequest,
                   ::v2::RestoreItemActionCancelRequest>
      operations_{parts(), &Stubs::restore_v2};
};

}  // namespace

Result<std::unique_ptr<extension::RestoreItemAction>> open_restore_action(const ActionParts& parts, bool is_v2,
                                                                          const std::stop_token& stop) {
  if (is_v2) {
    TRY_ASSIGN(auto scope, "", ask_scope(parts, &Stubs::restore_v2, &::v2::RestoreItemAction::Stub::AppliesTo, stop));
    return std::make_unique<PluginRestoreActionV2>(parts, std::move(scope));
  }
  TRY_ASSIGN(auto scope, "", ask_scope(parts, &Stubs::restore, &generated::RestoreItemAction::Stub::AppliesTo, stop));
  return std::make_unique<PluginRestoreAction>(parts, std::move(scope));
}

}  // namespace landfall::plugin
