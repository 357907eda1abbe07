#include "cli_restore/restore_describe_volumes.h"

#include <fmt/format.h>

#include <string_view>

#include "cli/describe_parts.h"
#include "cli/describe_plugin_volumes.h"
#include "cli/describe_pod_volumes.h"
#include "json/access.h"
#include "json/json.h"

namespace landfall::cli {

using json::Json;

namespace {

std::string pod_volumes_part(const RestoreDescription& what) {
  const std::vector<Json>& all = what.pod_volume_restores;
  if (all.empty()) return "";
  return fmt::format("\n{} Restores{}:\n", text_at(all.front(), {"spec", "uploaderType"}),
                     what.details ? "" : " (specify --details for more information)") +
         pod_volumes_text(pod_volumes_by_phase(all, kPodVolumeRestorePhases), "\t", what.details);
}

std::string snapshot_part(const Json& info, bool is_moved, bool details) {
  std::string part = fmt::format("\t{}/{}:\n", text_at(info, {"pvcNamespace"}), text_at(info, {"pvcName"}));
  const std::string_view heading = is_moved ? "Data Movement:" : "Snapshot:";
  if (!details) return part + fmt::format("\t\t{} specify --details for more information\n", heading);
  part += fmt::format("\t\t{}\n", heading);
  if (is_moved) {
    const auto moved = [&](std::string_view field) { return text_at(info, {"snapshotDataMovementInfo", field}); };
    return part + fmt::format("\t\t\tOperation ID: {}\n\t\t\tData Mover: {}\n\t\t\tUploader Type: {}\n",
                              moved("operationID"), moved("dataMover"), moved("uploaderType"));
  }
  const auto csi = [&](std::string_view field) { return text_at(info, {"csiSnapshotInfo", field}); };
  return part + fmt::format("\t\t\tSnapshot Content Name: {}\n\t\t\tStorage Snapshot ID: {}\n\t\t\tCSI Driver: {}\n",
                            csi("vscName"), csi("snapshotHandle"), csi("driver"));
}

std::string snapshots_part(const RestoreDescription& what) {
  if (!what.volume_infos.error.empty()) {
    return fmt::format("\t<error getting restore volume info: {}>\n", what.volume_infos.why_not());
  }
  if (!what.volume_infos.document) return "";
  // Go's decoder takes null for an empty list.
  const bool is_list = what.volume_infos.document->is_array() || what.volume_infos.document->is_null();
  if (!is_list) return "\t<error getting restore volume info: it is no list>\n";
  std::string kept;
  std::string moved;
  for (const Json& info : *what.volume_infos.document) {
    if (json::string_or(info, {"restoreMethod"}, "") != "CSISnapshot") continue;
    const bool is_moved = json::bool_or(info, {"snapshotDataMoved"}, false);
    (is_moved ? moved : kept) += snapshot_part(info, is_moved, what.details);
  }
  if (kept.empty() && moved.empty()) return "\nCSI Snapshot Restores: <none included>\n";
  return "\nCSI Snapshot Restores:\n" + kept + moved;
}

}  // namespace

std::string volumes_part(const RestoreDescription& what) { return pod_volumes_part(what) + snapshots_part(what); }

std::string plugin_volumes_part(const RestoreDescription& what, WallTime now) {
  const std::string more = what.details ? "" : " (specify --details for more information)";
  std::string part;
  if (!what.volume_plugin_restores.empty()) {
    part += fmt::format("\nVolumes of plugins{}:\n", more) +
            plugin_volumes_text(what.volume_plugin_restores, "\t", what.details, now);
  }
  if (!what.volume_plugin_backups.empty()) {
    part += fmt::format("\nSnapshots of plugins in the backup{}:\n", more) +
            plugin_volumes_text(what.volume_plugin_backups, "\t", what.details, now);
  }
  return part;
}

}  // namespace landfall::cli
