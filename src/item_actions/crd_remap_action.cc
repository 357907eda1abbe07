#include "item_actions/crd_remap_action.h"

#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "kube/resource.h"

namespace landfall::item_actions {
namespace {

using json::Json;

const k8s::GroupVersionResource kBeta{"apiextensions.k8s.io", "v1beta1", "customresourcedefinitions"};

// What only a definition made as v1beta1 can have: no schema, one that is not structural, or fields kept unseen. All
// versions of such a definition share one schema, so that the first tells.
bool was_made_as_beta(const Json& definition) {
  const Json* version = json::find(definition, {"spec", "versions", "0"});
  if (version != nullptr && !json::has(*version, {"schema", "openAPIV3Schema"})) return true;
  if (k8s::ObjectView(definition).condition("NonStructuralSchema") != nullptr) return true;
  return json::bool_or(definition, {"spec", "preserveUnknownFields"}, false);
}

}  // namespace

bool CrdRemapAction::is_needed(const kube::Discovery& discovery) { return discovery.find(kBeta) != nullptr; }

Result<extension::BackupActionResult> CrdRemapAction::execute(const Json& item, const Json& /*backup*/,
                                                              const std::stop_token& stop) {
  extension::BackupActionResult result;
  const k8s::ObjectView definition(item);
  if (!is_needed_ || definition.api_version() != "apiextensions.k8s.io/v1" || !was_made_as_beta(item)) return result;
  TRY_ASSIGN(Json beta, "get the v1beta1 form of a definition",
             kube::Resource(client_, kBeta).get(std::string(definition.name()), stop));
  result.changed = std::make_unique<Json>(std::move(beta));
  return result;
}

}  // namespace landfall::item_actions
