#include "item_actions/service_account_action.h"

#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::item_actions {

Result<extension::BackupActionResult> ServiceAccountAction::execute(const json::Json& item,
                                                                    const json::Json& /*backup*/,
                                                                    const std::stop_token& stop) {
  extension::BackupActionResult result;
  TRY_ASSIGN(result.additional, "", bindings_.naming(k8s::ObjectView(item).namespaced_name(), stop));
  return result;
}

}  // namespace landfall::item_actions
