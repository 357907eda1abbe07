#pragma once

#include <memory>

#include "extension/item_action.h"

namespace landfall::item_actions {

// "velero.io/service-account": a service account loses the reference to the token that an old cluster made for it. Of
// several such references only the last goes, as in Velero.
std::unique_ptr<extension::RestoreItemAction> make_restore_service_account_action();

}  // namespace landfall::item_actions
