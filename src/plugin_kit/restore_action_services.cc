#include "json/parse.h"
#include "plugin_kit/action_answers.h"
#include "plugin_kit/answer.h"
#include "plugin_kit/services.h"
#include "plugin_kit/wire.h"
#include "velero/restore_item_action.grpc.pb.h"
#include "velero/v2/restore_item_action.grpc.pb.h"

namespace landfall::plugin_kit {
namespace {

using json::Json;

Result<extension::RestoreItemAction*> action_of(Registry& registry, const std::string& name) {
  TRY_ASSIGN(const auto* const found, "", find_plugin(registry.restore_actions, name));
  return found->action.get();
}

// Both versions say these three with the same names.
template <class Request, class Response>
Result<extension::RestoreActionResult> execute(Registry& registry, LastDocument& restores, const Request& request,
                                               Response& response, const std::stop_token& stop) {
  TRY_ASSIGN(auto* const action, "", action_of(registry, request.plugin()));
  TRY_ASSIGN(const Json item, "the item", json::parse(request.item()));
  TRY_ASSIGN(const Json from_backup, "the item of the backup", json::parse(request.item_from_backup()));
  TRY_ASSIGN(const auto restore, "the Restore", restores.parse(request.restore()));
  TRY_ASSIGN(extension::RestoreActionResult result, "",
             action->execute({.item = item, .from_backup = from_backup, .restore = *restore}, stop));
  response.set_item(result.changed ? json::dump(*result.changed) : request.item());
  response.set_skip_restore(result.skip);
  put_refs(result.additional, *response.mutable_additional_items());
  return result;
}

class First final : public generated::RestoreItemAction::Service {
 public:
  explicit First(Registry& registry) : registry_(registry) {}

  grpc::Status AppliesTo(grpc::ServerContext* context, const generated::RestoreItemActionAppliesToRequest* request,
                         generated::RestoreItemActionAppliesToResponse* response) override {
    return answer_scope(registry_, context, registry_.restore_actions, *request, *response);
  }

  grpc::Status Execute(grpc::ServerContext* context, const generated::RestoreItemActionExecuteRequest* request,
                       generated::RestoreItemActionExecuteResponse* response) override {
    return answer(registry_, context, [&](const std::stop_token& stop) -> Status {
      TRY_ASSIGN(const auto result, "", execute(registry_, restores_, *request, *response, stop));
      if (result.operation_id.empty() && !result.waits_for_additional) return {};
      return fail(Code::kInternal, "an action that is offered as one of version 1 started or waits for something");
    });
  }

 private:
  Registry& registry_;
  LastDocument restores_;
};

class Second final : public v2::RestoreItemAction::Service {
 public:
  explicit Second(Registry& registry) : registry_(registry) {}

  grpc::Status AppliesTo(grpc::ServerContext* context, const v2::RestoreItemActionAppliesToRequest* request,
                         v2::RestoreItemActionAppliesToResponse* response) override {
    return answer_scope(registry_, context, registry_.restore_actions, *request, *response);
  }

  grpc::Status Execute(grpc::ServerContext* context, const v2::RestoreItemActionExecuteRequest* request,
                       v2::RestoreItemActionExecuteResponse* response) override {
    return answer(registry_, context, [&](const std::stop_token& stop) -> Status {
      TRY_ASSIGN(const auto result, "", execute(registry_, restores_, *request, *response, stop));
      response->set_operation_id(result.operation_id);
      response->set_wait_for_additional_items(result.waits_for_additional);
      const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(result.additional_timeout);
      response->mutable_additional_items_ready_timeout()->set_seconds(seconds.count());
      response->mutable_additional_items_ready_timeout()->set_nanos(
          static_cast<std::int32_t>((result.additional_timeout - seconds).count()));
      return {};
    });
  }

  grpc::Status Progress(grpc::ServerContext* context, const v2::RestoreItemActionProgressRequest* request,
                        v2::RestoreItemActionProgressResponse* response) override {
    return answer_progress(registry_, context, registry_.restore_actions, restores_, *request, *response);
  }

  grpc::Status Cancel(grpc::ServerContext* context, const v2::RestoreItemActionCancelRequest* request,
                      google::protobuf::Empty* /*response*/) override {
    return answer_cancel(registry_, context, registry_.restore_actions, restores_, *request);
  }

  grpc::Status AreAdditionalItemsReady(grpc::ServerContext* context,
                                       const v2::RestoreItemActionItemsReadyRequest* request,
                                       v2::RestoreItemActionItemsReadyResponse* response) override {
    return answer(registry_, context, [&](const std::stop_token& stop) -> Status {
      TRY_ASSIGN(auto* const action, "", action_of(registry_, request->plugin()));
      TRY_ASSIGN(const auto restore, "the Restore", restores_.parse(request->restore()));
      TRY_ASSIGN(const bool is_ready, "", action->are_ready(refs_in(request->additional_items()), *restore, stop));
      response->set_ready(is_ready);
      return {};
    });
  }

 private:
  Registry& registry_;
  LastDocument restores_;
};

}  // namespace

void add_restore_action_services(Registry& registry, Services& services) {
  if (registry.restore_actions.empty()) return;
  services.push_back(std::make_unique<First>(registry));
  services.push_back(std::make_unique<Second>(registry));
}

}  // namespace landfall::plugin_kit
