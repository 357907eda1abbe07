#include "item_actions/restore_storage_class_action.h"

#include <string>

#include "item_actions/restore_draft.h"
#include "item_actions/restore_lookup.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "kube/resource.h"

namespace landfall::item_actions {
namespace {

using extension::RestoreActionInput;
using extension::RestoreActionResult;
using json::Json;

constexpr const char* kName = "velero.io/change-storage-class";

class StorageClassRestoreAction final : public extension::RestoreItemAction {
 public:
  StorageClassRestoreAction(kube::Client& client, std::shared_ptr<PluginConfigs> configs)
      : client_(client), configs_(std::move(configs)) {}

  std::string name() const override { return kName; }
  extension::ActionScope scope() const override {
    return {.included_resources = {"persistentvolumeclaims", "persistentvolumes", "statefulsets"}};
  }

  Result<RestoreActionResult> execute(const RestoreActionInput& input, const std::stop_token& stop) override {
    RestoreActionResult result;
    TRY_ASSIGN(const std::shared_ptr<const json::StringMap> classes, "", configs_->of(kName, stop));
    if (classes->empty()) return result;

    Draft draft(input.item);
    if (k8s::ObjectView(input.item).kind() != "StatefulSet") {
      TRY("", change(draft, {"spec", "storageClassName"}, *classes, stop));
    } else {
      const Json* templates = json::find(input.item, {"spec", "volumeClaimTemplates"});
      const std::size_t count = templates != nullptr && templates->is_array() ? templates->size() : 0;
      for (std::size_t i = 0; i < count; ++i) {
        const std::string index = std::to_string(i);
        TRY("", change(draft, {"spec", "volumeClaimTemplates", index, "spec", "storageClassName"}, *classes, stop));
      }
    }
    result.changed = draft.take();
    return result;
  }

 private:
  Status change(Draft& draft, const json::Path& path, const json::StringMap& classes, const std::stop_token& stop) {
    const std::string* old = json::find_string(draft.now(), path);
    const auto mapped = old == nullptr || old->empty() ? classes.end() : classes.find(*old);
    if (mapped == classes.end()) return {};
    const std::string& wanted = mapped->second;
    const auto get = [&]() -> Result<bool> {
      return kube::Resource(client_, {"storage.k8s.io", "v1", "storageclasses"}).get(wanted, stop).map([](const Json&) {
        return true;
      });
    };
    TRY("storage class " + wanted + ", which stands for " + *old + " by the ConfigMap of " + kName,
        exists_.get(wanted, client_.clock(), stop, get));
    return draft.set(path, wanted);
  }

  kube::Client& client_;
  const std::shared_ptr<PluginConfigs> configs_;
  LookupByKey<bool> exists_;
};

}  // namespace

std::unique_ptr<extension::RestoreItemAction> make_restore_storage_class_action(
    kube::Client& client, std::shared_ptr<PluginConfigs> configs) {
  return std::make_unique<StorageClassRestoreAction>(client, std::move(configs));
}

}  // namespace landfall::item_actions
