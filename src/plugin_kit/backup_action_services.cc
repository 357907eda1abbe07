#include "json/access.h"
#include "json/parse.h"
#include "plugin_kit/action_answers.h"
#include "plugin_kit/answer.h"
#include "plugin_kit/services.h"
#include "plugin_kit/wire.h"
#include "velero/backup_item_action.grpc.pb.h"
#include "velero/v2/backup_item_action.grpc.pb.h"

namespace landfall::plugin_kit {
namespace {

using json::Json;

// What an answer has no field for is said in annotations of the object, which the host takes away.
constexpr std::string_view kSkip = "velero.io/skip-from-backup";
constexpr std::string_view kMustInclude = "backup.velero.io/must-include-additional-items";

Result<extension::BackupItemAction*> action_of(Registry& registry, const std::string& name) {
  TRY_ASSIGN(const auto* const found, "", find_plugin(registry.backup_actions, name));
  return found->action.get();
}

// An action that has changed nothing gets its object back byte for byte.
Status put_item(const std::string& bytes, Json item, const extension::BackupActionResult& result, std::string& to) {
  if (result.changed) item = *result.changed;
  if (result.skip) TRY("", json::set_at(item, {"metadata", "annotations", kSkip}, "true"));
  if (result.must_include) TRY("", json::set_at(item, {"metadata", "annotations", kMustInclude}, "true"));
  const bool is_same = !result.changed && !result.skip && !result.must_include;
  to = is_same ? bytes : json::dump(item);
  return {};
}

class First final : public generated::BackupItemAction::Service {
 public:
  explicit First(Registry& registry) : registry_(registry) {}

  grpc::Status AppliesTo(grpc::ServerContext* context, const generated::BackupItemActionAppliesToRequest* request,
                         generated::BackupItemActionAppliesToResponse* response) override {
    return answer_scope(registry_, context, registry_.backup_actions, *request, *response);
  }

  grpc::Status Execute(grpc::ServerContext* context, const generated::ExecuteRequest* request,
                       generated::ExecuteResponse* response) override {
    return answer(registry_, context, [&](const std::stop_token& stop) -> Status {
      TRY_ASSIGN(auto* const action, "", action_of(registry_, request->plugin()));
      TRY_ASSIGN(Json item, "the item", json::parse(request->item()));
      TRY_ASSIGN(const auto backup, "the Backup", backups_.parse(request->backup()));
      TRY_ASSIGN(const extension::BackupActionResult result, "", action->execute(item, *backup, stop));
      if (!result.operation_id.empty()) {
        return fail(Code::kInternal, "an operation was started by an action that is offered as one of version 1");
      }
      put_refs(result.additional, *response->mutable_additional_items());
      return put_item(request->item(), std::move(item), result, *response->mutable_item());
    });
  }

 private:
  Registry& registry_;
  LastDocument backups_;
};

class Second final : public v2::BackupItemAction::Service {
 public:
  explicit Second(Registry& registry) : registry_(registry) {}

  grpc::Status AppliesTo(grpc::ServerContext* context, const v2::BackupItemActionAppliesToRequest* request,
                         v2::BackupItemActionAppliesToResponse* response) override {
    return answer_scope(registry_, context, registry_.backup_actions, *request, *response);
  }

  grpc::Status Execute(grpc::ServerContext* context, const v2::ExecuteRequest* request,
                       v2::ExecuteResponse* response) override {
    return answer(registry_, context, [&](const std::stop_token& stop) -> Status {
      TRY_ASSIGN(auto* const action, "", action_of(registry_, request->plugin()));
      TRY_ASSIGN(Json item, "the item", json::parse(request->item()));
      TRY_ASSIGN(const auto backup, "the Backup", backups_.parse(request->backup()));
      TRY_ASSIGN(const extension::BackupActionResult result, "", action->execute(item, *backup, stop));
      response->set_operation_id(result.operation_id);
      put_refs(result.additional, *response->mutable_additional_items());
      put_refs(result.after_operation, *response->mutable_post_operation_items());
      return put_item(request->item(), std::move(item), result, *response->mutable_item());
    });
  }

  grpc::Status Progress(grpc::ServerContext* context, const v2::BackupItemActionProgressRequest* request,
                        v2::BackupItemActionProgressResponse* response) override {
    return answer_progress(registry_, context, registry_.backup_actions, backups_, *request, *response);
  }

  grpc::Status Cancel(grpc::ServerContext* context, const v2::BackupItemActionCancelRequest* request,
                      google::protobuf::Empty* /*response*/) override {
    return answer_cancel(registry_, context, registry_.backup_actions, backups_, *request);
  }

 private:
  Registry& registry_;
  LastDocument backups_;
};

}  // namespace

void add_backup_action_services(Registry& registry, Services& services) {
  if (registry.backup_actions.empty()) return;
  services.push_back(std::make_unique<First>(registry));
  services.push_back(std::make_unique<Second>(registry));
}

}  // namespace landfall::plugin_kit
