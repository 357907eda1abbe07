#include "item_actions/restore_secret_action.h"

#include <set>
#include <string>

#include "item_actions/restore_draft.h"
#include "item_actions/restore_lookup.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "kube/raw_list.h"

namespace landfall::item_actions {
namespace {

using extension::RestoreActionInput;
using extension::RestoreActionResult;
using Names = std::set<std::string, std::less<>>;

// Whether some account's name and "-token-" begin this name. Looks at each place where "-token-" stands, so that it
// does not matter how many accounts there are.
bool is_made_for(std::string_view name, const Names& accounts) {
  for (auto at = name.find("-token-"); at != std::string_view::npos; at = name.find("-token-", at + 1)) {
    if (accounts.contains(name.substr(0, at))) return true;
  }
  return false;
}

class SecretRestoreAction final : public extension::RestoreItemAction {
 public:
  explicit SecretRestoreAction(kube::Client& client) : client_(client) {}

  std::string name() const override { return "velero.io/secret"; }
  extension::ActionScope scope() const override { return {.included_resources = {"secrets"}}; }

  Result<RestoreActionResult> execute(const RestoreActionInput& input, const std::stop_token& stop) override {
    RestoreActionResult result;
    const std::string* type = json::find_string(input.item, {"type"});
    if (type == nullptr || *type != "kubernetes.io/service-account-token") return result;

    const k8s::ObjectView secret(input.item);
    const std::string name_space(secret.name_space());
    TRY_ASSIGN(const std::shared_ptr<const Names> accounts, "list the service accounts of namespace " + name_space,
               accounts_.get(name_space, client_.clock(), stop, [&] { return list(name_space, stop); }));
    if (is_made_for(secret.name(), *accounts)) {
      result.skip = true;
      return result;
    }
    Draft draft(input.item);
    draft.erase_entries({"metadata", "annotations"},
                        [](std::string_view key) { return key == "kubernetes.io/service-account.uid"; });
    draft.erase_entries({"data"}, [](std::string_view key) { return key == "token" || key == "ca.crt"; });
    result.changed = draft.take();
    return result;
  }

 private:
  Result<Names> list(const std::string& name_space, const std::stop_token& stop) const {
    Names names;
    kube::RawList pages(kube::Resource(client_, {"", "v1", "serviceaccounts"}, name_space), {});
    while (true) {
      TRY_ASSIGN(const kube::RawList::Next next, "", pages.next(stop));
      if (next.started_over) names.clear();
      if (!next.page) return names;
      for (const kube::RawItem& item : next.page->items()) names.emplace(item.name);
    }
  }

  kube::Client& client_;
  LookupByKey<Names> accounts_;
};

}  // namespace

std::unique_ptr<extension::RestoreItemAction> make_restore_secret_action(kube::Client& client) {
  return std::make_unique<SecretRestoreAction>(client);
}

}  // namespace landfall::item_actions
