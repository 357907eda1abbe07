#include "item_actions/restore_service_account_action.h"

#include <string>

#include "item_actions/restore_draft.h"
#include "item_actions/restore_function_action.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::item_actions {
namespace {

using json::Json;

extension::RestoreActionResult restore_account(const extension::RestoreActionInput& input) {
  extension::RestoreActionResult result;
  const Json* secrets = json::find(input.item, {"secrets"});
  if (secrets == nullptr || !secrets->is_array()) return result;
  const std::string prefix = std::string(k8s::ObjectView(input.item).name()) + "-token-";
  for (std::size_t i = secrets->size(); i-- > 0;) {
    const std::string* name = json::find_string((*secrets)[i], {"name"});
    if (name == nullptr || !name->starts_with(prefix)) continue;
    Draft account(input.item);
    account.erase({"secrets", std::to_string(i)});
    if (secrets->size() == 1) account.erase({"secrets"});
    result.changed = account.take();
    return result;
  }
  return result;
}

}  // namespace

std::unique_ptr<extension::RestoreItemAction> make_restore_service_account_action() {
  return make_function_action("velero.io/service-account", "serviceaccounts", restore_account);
}

}  // namespace landfall::item_actions
