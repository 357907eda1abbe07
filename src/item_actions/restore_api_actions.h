#pragma once

#include <memory>

#include "extension/item_action.h"

// What a restore does to the objects that extend the API server.
namespace landfall::item_actions {

// "velero.io/admission-webhook-configuration": v1 allows only webhooks whose sideEffects are None or NoneOnDryRun; any
// other value, from the days of v1beta1, becomes None. kInvalid when the webhooks are not a list.
std::unique_ptr<extension::RestoreItemAction> make_restore_webhook_action();

// "velero.io/apiservice": an APIService that the server keeps by itself is not restored.
std::unique_ptr<extension::RestoreItemAction> make_restore_api_service_action();

// "velero.io/crd-preserve-fields": a v1 definition cannot say preserveUnknownFields: true; the schema of each version
// says it instead.
std::unique_ptr<extension::RestoreItemAction> make_restore_definition_action();

}  // namespace landfall::item_actions
