#include "item_actions/pv_action.h"

#include <functional>

#include "api/labels.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/names.h"
#include "k8s/object_view.h"

namespace landfall::item_actions {
namespace {

using json::Json;
using IsStale = std::function<bool(const std::string& key, const Json& value)>;

// Removes entries of a map, and the map when nothing is left of it, as Velero does by writing no empty maps.
bool remove_stale(Json& claim, const json::Path& path, const IsStale& is_stale) {
  Json* map = json::find(claim, path);
  if (map == nullptr || !map->is_object()) return false;
  bool is_changed = false;
  for (auto entry = map->begin(); entry != map->end();) {
    if (!is_stale(entry.key(), entry.value())) {
      ++entry;
      continue;
    }
    entry = map->erase(entry);
    is_changed = true;
  }
  if (is_changed && map->empty()) json::erase_at(claim, path);
  return is_changed;
}

bool remove_selector(Json& claim) {
  const Json* storage_class = json::find(claim, {"spec", "storageClassName"});
  const bool is_made_by_hand =
      storage_class != nullptr && storage_class->is_string() && storage_class->get_ref<const std::string&>().empty();
  if (!is_made_by_hand) return json::erase_at(claim, {"spec", "selector"});
  return remove_stale(claim, {"spec", "selector", "matchLabels"},
                      [](const std::string& key, const Json&) { return key.starts_with("velero.io/"); });
}

bool remove_labels(Json& claim, const Json& backup) {
  const std::string this_backup = k8s::label_safe(k8s::ObjectView(backup).name());
  return remove_stale(claim, {"metadata", "labels"}, [&](const std::string& key, const Json& value) {
    if (key == api::label::kBackupName) return value != this_backup;
    // Velero looks among the labels for its annotation, too.
    return key == api::label::kRestoreName || key == api::label::kVolumeSnapshotName ||
           key == api::annotation::kMustIncludeAdditionalItems;
  });
}

}  // namespace

Result<extension::BackupActionResult> PvAction::execute(const Json& item, const Json& backup,
                                                        const std::stop_token& /*stop*/) {
  extension::BackupActionResult result;
  const std::string volume = json::string_or(item, {"spec", "volumeName"}, "");
  if (volume.empty() || json::string_or(item, {"status", "phase"}, "") != "Bound") return result;
  result.additional.push_back({.resource = {"", "persistentvolumes"}, .name = volume});

  auto claim = std::make_unique<Json>(item);
  bool is_changed = json::erase_at(*claim, {"spec", "dataSource"});
  is_changed |= json::erase_at(*claim, {"spec", "dataSourceRef"});
  is_changed |= remove_selector(*claim);
  is_changed |= remove_labels(*claim, backup);
  if (is_changed) result.changed = std::move(claim);
  return result;
}

}  // namespace landfall::item_actions
