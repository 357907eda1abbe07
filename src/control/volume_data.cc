#include "control/volume_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "api/labels.h"
#include "api/names.h"
#include "api/status.h"
#include "control/plugin_resources.h"
#include "control/snapshot_cleanup.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/names.h"
#include "k8s/object_view.h"

namespace landfall::control {
namespace {

using bucket::BackupArtifact;
using json::Json;

// The list in a file; none where there is no such file, or null in it, as Velero writes an empty list.
Result<std::vector<Json>> list_in(bucket::BackupStore& store, std::string_view backup, BackupArtifact artifact,
                                  const std::stop_token& stop) {
  TRY_ASSIGN(std::optional<Json> document, "", store.read(backup, artifact, stop));
  if (!document || document->is_null()) return std::vector<Json>{};
  if (!document->is_array()) {
    return fail(Code::kDataLoss,
                fmt::format("a file of backup {}: expected a list, got {}", backup, json::type_name(*document)));
  }
  return std::vector<Json>(std::make_move_iterator(document->begin()), std::make_move_iterator(document->end()));
}

bool has_text(const Json& row, const json::Path& path) { return !json::string_or(row, path, "").empty(); }

int count_with(const std::vector<Json>& rows, const json::Path& path) {
  return static_cast<int>(std::ranges::count_if(rows, [&](const Json& row) { return has_text(row, path); }));
}

// Those that the bucket and those that the cluster knows: the first may lack what was never finished, the second are
// not there when the backup was synced in part.
Result<int> pod_volumes(const Context& context, const Json& backup, bucket::BackupStore& store,
                        const std::stop_token& stop) {
  const k8s::ObjectView view(backup);
  TRY_ASSIGN(const auto stored, "", list_in(store, view.name(), BackupArtifact::kPodVolumeBackups, stop));
  const std::string selector = fmt::format("{}={}", api::label::kBackupName, k8s::label_safe(view.name()));
  TRY_ASSIGN(const kube::ObjectList live, "list pod volume backups",
             context.objects(api::kPodVolumeBackup).list({.label_selector = selector}, stop));
  std::set<std::string> names;
  for (const auto* rows : {&stored, &live.items}) {
    for (const Json& row : *rows) {
      if (has_text(row, {"status", "snapshotID"})) names.emplace(k8s::ObjectView(row).name());
    }
  }
  return static_cast<int>(names.size());
}

// Likewise. A plugin, or the server, may have died before a file could tell of one.
Result<int> plugin_snapshots(const Context& context, const Json& backup, bucket::BackupStore& store,
                             const std::stop_token& stop) {
  TRY_ASSIGN(const auto stored, "",
             list_in(store, k8s::ObjectView(backup).name(), BackupArtifact::kVolumePluginBackups, stop));
  TRY_ASSIGN(const auto live, "", PluginResources(context, context.log).list(api::kVolumePluginBackup, {}, stop));
  std::set<std::string> names;
  for (const Json& row : stored) {
    if (has_text(row, {"status", "snapshotID"})) names.emplace(k8s::ObjectView(row).name());
  }
  for (const Json& one : live) {
    if (is_of_backup(one, backup)) names.emplace(k8s::ObjectView(one).name());
  }
  return static_cast<int>(names.size());
}

}  // namespace

std::string_view to_string(VolumeData data) {
  switch (data) {
    case VolumeData::kNativeSnapshots:
      return "volume snapshots";
    case VolumeData::kPluginSnapshots:
      return "volume snapshots of plugins";
    case VolumeData::kPodVolumes:
      return "pod volumes (restic or kopia)";
    case VolumeData::kCsiSnapshots:
      return "CSI snapshots";
    case VolumeData::kMovedSnapshots:
      return "moved CSI snapshots (kopia)";
  }
  return "volumes";
}

Result<std::map<VolumeData, int>> volume_data_of(const Context& context, const Json& backup, bucket::BackupStore& store,
                                                 const std::stop_token& stop) {
  const std::string_view name = k8s::ObjectView(backup).name();
  std::map<VolumeData, int> found;
  TRY_ASSIGN(const auto snapshots, "", list_in(store, name, BackupArtifact::kVolumeSnapshots, stop));
  found[VolumeData::kNativeSnapshots] = count_with(snapshots, {"status", "providerSnapshotID"});
  TRY_ASSIGN(found[VolumeData::kPluginSnapshots], "", plugin_snapshots(context, backup, store, stop));
  TRY_ASSIGN(found[VolumeData::kPodVolumes], "", pod_volumes(context, backup, store, stop));
  TRY_ASSIGN(const auto volumes, "", list_in(store, name, BackupArtifact::kVolumeInfos, stop));
  for (const Json& row : volumes) {
    if (json::string_or(row, {"backupMethod"}, "") != "CSISnapshot") continue;
    if (json::bool_or(row, {"snapshotDataMoved"}, false)) {
      found[VolumeData::kMovedSnapshots] += has_text(row, {"snapshotDataMovementInfo", "snapshotHandle"}) ? 1 : 0;
    } else {
      found[VolumeData::kCsiSnapshots] += has_text(row, {"csiSnapshotInfo", "snapshotHandle"}) ? 1 : 0;
    }
  }
  std::erase_if(found, [](const auto& entry) { return entry.second == 0; });
  return found;
}

}  // namespace landfall::control
