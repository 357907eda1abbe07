#include "control/snapshot_progress.h"

#include <map>
#include <string>
#include <utility>

#include "api/labels.h"
#include "control/plugin_transfer.h"
#include "json/access.h"
#include "k8s/names.h"
#include "k8s/object_view.h"
#include "volume_info/volume_info.h"

namespace landfall::control {

using json::Json;

namespace {

std::string text_at(const Json& object, const json::Path& path) { return json::string_or(object, path, ""); }

// A plugin that says nothing of it has given the resource the snapshot's name.
std::string snapshot_of(const Json& resource) {
  std::string snapshot = text_at(resource, {"status", "snapshotID"});
  return snapshot.empty() ? std::string(k8s::ObjectView(resource).name()) : snapshot;
}

bool is_native(const Json& row) {
  return text_at(row, {"backupMethod"}) == volume_info::method::kNativeSnapshot &&
         json::object_at(row, {"nativeSnapshotInfo"}).has_value();
}

}  // namespace

void set_row_progress(Json& rows, const std::vector<Json>& resources) {
  if (!rows.is_array()) return;
  // By the volume, as its label has it, and the snapshot.
  std::map<std::pair<std::string, std::string>, const Json*> known;
  for (const Json& one : resources) {
    const auto volume = k8s::ObjectView(one).labels().get(std::string(api::label::kPvName));
    if (volume) known[{std::string(*volume), snapshot_of(one)}] = &one;
  }
  for (Json& row : rows) {
    if (!is_native(row)) continue;
    Json& info = row["nativeSnapshotInfo"];
    const auto found = known.find({k8s::label_safe(text_at(row, {"pvName"})), text_at(info, {"snapshotHandle"})});
    if (found == known.end()) continue;
    info["progressResource"] = std::string(k8s::ObjectView(*found->second).name());
    if (!json::has(*found->second, {"status", "progress"})) continue;
    const TransferSight sight = sight_of(*found->second);
    info["progress"] = {{"bytesDone", sight.bytes_done}, {"totalBytes", sight.total_bytes}};
  }
}

}  // namespace landfall::control
