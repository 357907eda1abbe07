#include "json/parse.h"
#include "plugin_kit/action_answers.h"
#include "plugin_kit/answer.h"
#include "plugin_kit/services.h"
#include "plugin_kit/wire.h"
#include "velero/delete_item_action.grpc.pb.h"
#include "velero/v1/item_block_action.grpc.pb.h"

namespace landfall::plugin_kit {
namespace {

using json::Json;

class Deletions final : public generated::DeleteItemAction::Service {
 public:
  explicit Deletions(Registry& registry) : registry_(registry) {}

  grpc::Status AppliesTo(grpc::ServerContext* context, const generated::DeleteItemActionAppliesToRequest* request,
                         generated::DeleteItemActionAppliesToResponse* response) override {
    return answer_scope(registry_, context, registry_.delete_actions, *request, *response);
  }

  grpc::Status Execute(grpc::ServerContext* context, const generated::DeleteItemActionExecuteRequest* request,
                       generated::Empty* /*response*/) override {
    return answer(registry_, context, [&](const std::stop_token& stop) -> Status {
      TRY_ASSIGN(auto* const action, "", find_plugin(registry_.delete_actions, request->plugin()));
      TRY_ASSIGN(const Json item, "the item", json::parse(request->item()));
      TRY_ASSIGN(const auto backup, "the Backup", backups_.parse(request->backup()));
      return (*action)->execute(item, *backup, stop);
    });
  }

 private:
  Registry& registry_;
  LastDocument backups_;
};

class Blocks final : public v1::ItemBlockAction::Service {
 public:
  explicit Blocks(Registry& registry) : registry_(registry) {}

  grpc::Status AppliesTo(grpc::ServerContext* context, const v1::ItemBlockActionAppliesToRequest* request,
                         v1::ItemBlockActionAppliesToResponse* response) override {
    return answer_scope(registry_, context, registry_.block_actions, *request, *response);
  }

  grpc::Status GetRelatedItems(grpc::ServerContext* context, const v1::ItemBlockActionGetRelatedItemsRequest* request,
                               v1::ItemBlockActionGetRelatedItemsResponse* response) override {
    return answer(registry_, context, [&](const std::stop_token& stop) -> Status {
      TRY_ASSIGN(auto* const action, "", find_plugin(registry_.block_actions, request->plugin()));
      TRY_ASSIGN(const Json item, "the item", json::parse(request->item()));
      TRY_ASSIGN(const auto backup, "the Backup", backups_.parse(request->backup()));
      TRY_ASSIGN(const std::vector<k8s::ObjectRef> related, "", (*action)->related_items(item, *backup, stop));
      put_refs(related, *response->mutable_related_items());
      return {};
    });
  }

 private:
  Registry& registry_;
  LastDocument backups_;
};

}  // namespace

void add_other_action_services(Registry& registry, Services& services) {
  if (!registry.delete_actions.empty()) services.push_back(std::make_unique<Deletions>(registry));
  if (!registry.block_actions.empty()) services.push_back(std::make_unique<Blocks>(registry));
}

}  // namespace landfall::plugin_kit
