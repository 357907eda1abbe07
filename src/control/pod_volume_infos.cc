#include "control/pod_volume_infos.h"

#include <string>
#include <utility>

#include "api/labels.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "volume_info/backup_rows.h"
#include "volume_info/volume_info.h"

namespace landfall::control {
namespace {

using json::Json;
using volume_info::BackedUpVolume;
using volume_info::BackupRows;
namespace method = volume_info::method;
namespace result = volume_info::result;

std::string text_at(const Json& object, const json::Path& path) { return json::string_or(object, path, ""); }

BackedUpVolume backup_row(const Json& one) {
  const std::string phase = text_at(one, {"status", "phase"});
  BackedUpVolume row;
  row.method = method::kPodVolumeBackup;
  row.started = text_at(one, {"status", "startTimestamp"});
  row.completed = text_at(one, {"status", "completionTimestamp"});
  row.result = phase == "Completed" ? result::kSucceeded : result::kFailed;
  row.pod_volume = {.handle = text_at(one, {"status", "snapshotID"}),
                    .size = json::int_or(one, {"status", "progress", "totalBytes"}, 0),
                    .incremental_size = json::int_or(one, {"status", "incrementalBytes"}, 0),
                    .uploader = text_at(one, {"spec", "uploaderType"}),
                    .volume = text_at(one, {"spec", "volume"}),
                    .pod = {text_at(one, {"spec", "pod", "namespace"}), text_at(one, {"spec", "pod", "name"})},
                    .node = text_at(one, {"spec", "node"}),
                    .phase = phase};
  return row;
}

}  // namespace

void add_pod_volume_backups(Json& rows, const std::vector<Json>& pod_volume_backups) {
  if (!rows.is_array()) return;
  BackupRows of_claims(rows);
  for (const Json& one : pod_volume_backups) {
    BackedUpVolume row = backup_row(one);
    const auto claim = k8s::ObjectView(one).annotations().get(std::string(api::annotation::kPvcName));
    if (claim) {
      row.claim = {row.pod_volume->pod.name_space, std::string(*claim)};
      of_claims.put(std::move(row));
    } else {
      rows.push_back(to_json(row));
    }
  }
}

}  // namespace landfall::control
