#include "item_actions/restore_api_actions.h"

#include <algorithm>
#include <string>

#include "item_actions/restore_draft.h"
#include "item_actions/restore_function_action.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::item_actions {
namespace {

using extension::RestoreActionInput;
using extension::RestoreActionResult;
using json::Json;

bool has_allowed_side_effects(const Json& webhook) {
  const std::string* effects = json::find_string(webhook, {"sideEffects"});
  return effects != nullptr && (*effects == "None" || *effects == "NoneOnDryRun");
}

Result<RestoreActionResult> restore_webhooks(const RestoreActionInput& input) {
  RestoreActionResult result;
  if (k8s::ObjectView(input.item).api_version() != "admissionregistration.k8s.io/v1") return result;
  const Json* webhooks = json::find(input.item, {"webhooks"});
  if (webhooks == nullptr) return result;
  TRY("", json::array_at(input.item, {"webhooks"}));

  Draft configuration(input.item);
  // Velero drops what is no webhook at all.
  configuration.erase_elements({"webhooks"}, [](const Json& webhook) { return !webhook.is_object(); });
  const Json* now = json::find(configuration.now(), {"webhooks"});
  if (now != nullptr && !std::ranges::all_of(*now, has_allowed_side_effects)) {
    for (Json& webhook : *json::find(configuration.edit(), {"webhooks"})) {
      if (!has_allowed_side_effects(webhook)) webhook["sideEffects"] = "None";
    }
  }
  result.changed = configuration.take();
  return result;
}

RestoreActionResult skip(const RestoreActionInput& /*input*/) {
  RestoreActionResult result;
  result.skip = true;
  return result;
}

RestoreActionResult restore_definition(const RestoreActionInput& input) {
  RestoreActionResult result;
  if (k8s::ObjectView(input.item).api_version() != "apiextensions.k8s.io/v1" ||
      !json::bool_or(input.item, {"spec", "preserveUnknownFields"}, false)) {
    return result;
  }
  Draft definition(input.item);
  definition.erase({"spec", "preserveUnknownFields"});
  if (Json* versions = json::find(definition.edit(), {"spec", "versions"}); versions != nullptr) {
    for (Json& version : *versions) {
      Json* schema = json::find(version, {"schema", "openAPIV3Schema"});
      if (schema != nullptr && schema->is_object()) (*schema)["x-kubernetes-preserve-unknown-fields"] = true;
    }
  }
  result.changed = definition.take();
  return result;
}

template <class Function>
std::unique_ptr<extension::RestoreItemAction> make(std::string name, extension::ActionScope scope, Function function) {
  return std::make_unique<FunctionAction<Function>>(std::move(name), std::move(scope), std::move(function));
}

}  // namespace

std::unique_ptr<extension::RestoreItemAction> make_restore_webhook_action() {
  return make("velero.io/admission-webhook-configuration",
              {.included_resources = {"mutatingwebhookconfigurations", "validatingwebhookconfigurations"}},
              restore_webhooks);
}

std::unique_ptr<extension::RestoreItemAction> make_restore_api_service_action() {
  return make("velero.io/apiservice",
              {.included_resources = {"apiservices"}, .label_selector = "kube-aggregator.kubernetes.io/automanaged"},
              skip);
}

std::unique_ptr<extension::RestoreItemAction> make_restore_definition_action() {
  return make_function_action("velero.io/crd-preserve-fields", "customresourcedefinitions.apiextensions.k8s.io",
                              restore_definition);
}

}  // namespace landfall::item_actions
