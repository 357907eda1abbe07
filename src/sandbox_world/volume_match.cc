#include "sandbox_world/volume_match.h"

#include <algorithm>

#include "base/quantity.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/label_selector_json.h"
#include "k8s/object_view.h"

namespace landfall::sandbox {
namespace {

using json::Json;

Quantity amount_at(const Json& object, const json::Path& path) {
  return Quantity::parse(json::string_or(object, path, "0")).value_or(Quantity());
}

bool has_all_modes(const Json& volume, const Json& claim) {
  const auto offered = json::string_list_at(volume, {"spec", "accessModes"});
  const auto wanted = json::string_list_at(claim, {"spec", "accessModes"});
  if (!offered || !wanted) return false;
  return std::all_of(wanted->begin(), wanted->end(), [&](const std::string& mode) {
    return std::find(offered->begin(), offered->end(), mode) != offered->end();
  });
}

bool is_selected(const Json& volume, const Json& claim) {
  const Json* wanted = json::find(claim, {"spec", "selector"});
  if (wanted == nullptr) return true;
  const auto selector = k8s::label_selector_from_json(wanted);
  return selector && selector->matches(k8s::ObjectView(volume).labels().copy());
}

}  // namespace

bool is_meant_for(const Json& volume, const Json& claim) {
  const k8s::ObjectView view(claim);
  const std::string uid = json::string_or(volume, {"spec", "claimRef", "uid"}, "");
  return json::string_or(volume, {"spec", "claimRef", "name"}, "") == view.name() &&
         json::string_or(volume, {"spec", "claimRef", "namespace"}, "") == view.name_space() &&
         (uid.empty() || uid == view.uid());
}

bool fits(const Json& volume, const Json& claim) {
  return json::string_or(volume, {"spec", "storageClassName"}, "") ==
             json::string_or(claim, {"spec", "storageClassName"}, "") &&
         json::string_or(volume, {"spec", "volumeMode"}, "Filesystem") ==
             json::string_or(claim, {"spec", "volumeMode"}, "Filesystem") &&
         has_all_modes(volume, claim) &&
         amount_at(volume, {"spec", "capacity", "storage"}) >=
             amount_at(claim, {"spec", "resources", "requests", "storage"}) &&
         is_selected(volume, claim);
}

const Json* choose_volume(const std::vector<Json>& volumes, const Json& claim) {
  const Json* best = nullptr;
  for (const Json& volume : volumes) {
    if (k8s::ObjectView(volume).is_being_deleted() || !fits(volume, claim)) continue;
    if (is_meant_for(volume, claim)) return &volume;
    if (json::has(volume, {"spec", "claimRef"})) continue;
    if (best == nullptr ||
        amount_at(volume, {"spec", "capacity", "storage"}) < amount_at(*best, {"spec", "capacity", "storage"})) {
      best = &volume;
    }
  }
  return best;
}

}  // namespace landfall::sandbox
