#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/strings.h"
#include "cli/describe_parts.h"
#include "cli/describe_plugin_volumes.h"
#include "cli/describe_pod_volumes.h"
#include "cli_backup/backup_description.h"
#include "json/access.h"
#include "json/json.h"
#include "terminal/text_width.h"

namespace landfall::cli {

using json::Json;

namespace {

std::string native_part(const BackupDescription& what) {
  if (what.volumes.native.empty()) return "\tVelero-Native Snapshots: <none included>\n";
  std::string part = "\tVelero-Native Snapshots:\n";
  for (const Json& info : what.volumes.native) {
    const std::string name = text_at(info, {"pvName"});
    if (!what.details) {
      part += fmt::format("\t\t{}: specify --details for more information\n", name);
      continue;
    }
    const auto native = [&](std::string_view field) { return text_at(info, {"nativeSnapshotInfo", field}); };
    part += fmt::format(
        "\t\t{}:\n\t\t\tSnapshot ID:\t{}\n\t\t\tType:\t{}\n\t\t\tAvailability Zone:\t{}\n\t\t\tIOPS:\t{}\n"
        "\t\t\tResult:\t{}\n",
        name, native("snapshotHandle"), native("volumeType"), native("volumeAZ"), native("iops"),
        text_at(info, {"result"}));
  }
  return part;
}

std::string local_part(const Json& info, bool details) {
  if (!json::bool_or(info, {"preserveLocalSnapshot"}, false)) return "";
  if (!details) return "\t\t\tSnapshot: included, specify --details for more information\n";
  const auto csi = [&](std::string_view field) { return text_at(info, {"csiSnapshotInfo", field}); };
  std::string part = "\t\t\tSnapshot:\n";
  const std::string operation = csi("operationID");
  if (!json::bool_or(info, {"snapshotDataMoved"}, false) && !operation.empty()) {
    part += fmt::format("\t\t\t\tOperation ID: {}\n", operation);
  }
  return part + fmt::format(
                    "\t\t\t\tSnapshot Content Name: {}\n\t\t\t\tStorage Snapshot ID: {}\n"
                    "\t\t\t\tSnapshot Size (bytes): {}\n\t\t\t\tCSI Driver: {}\n\t\t\t\tResult: {}\n",
                    csi("vscName"), csi("snapshotHandle"), json::int_or(info, {"csiSnapshotInfo", "size"}, 0),
                    csi("driver"), text_at(info, {"result"}));
}

std::string moved_part(const Json& info, bool details) {
  if (!json::bool_or(info, {"snapshotDataMoved"}, false)) return "";
  if (!details) return "\t\t\tData Movement: included, specify --details for more information\n";
  const auto moved = [&](std::string_view field) { return text_at(info, {"snapshotDataMovementInfo", field}); };
  const std::string mover = moved("dataMover");
  std::string part = fmt::format(
      "\t\t\tData Movement:\n\t\t\t\tOperation ID: {}\n\t\t\t\tData Mover: {}\n\t\t\t\tUploader Type: {}\n"
      "\t\t\t\tMoved data Size (bytes): {}\n",
      moved("operationID"), mover.empty() ? "velero" : mover, moved("uploaderType"),
      json::int_or(info, {"snapshotDataMovementInfo", "size"}, 0));
  const auto incremental = json::int_or(info, {"snapshotDataMovementInfo", "incrementalSize"}, 0);
  if (incremental > 0) part += fmt::format("\t\t\t\tIncremental data Size (bytes): {}\n", incremental);
  return part + fmt::format("\t\t\t\tResult: {}\n", text_at(info, {"result"}));
}

std::string csi_part(const BackupDescription& what) {
  if (what.volumes.csi.empty()) {
    return what.volumes.is_legacy ? "\tCSI Snapshots: <none included or not detectable>\n"
                                  : "\tCSI Snapshots: <none included>\n";
  }
  std::string part = "\tCSI Snapshots:\n";
  for (const Json& info : what.volumes.csi) {
    part += fmt::format("\t\t{}/{}:\n", text_at(info, {"pvcNamespace"}), text_at(info, {"pvcName"}));
    part += local_part(info, what.details) + moved_part(info, what.details);
  }
  return part;
}

std::string pod_volumes_part(const BackupDescription& what) {
  const std::vector<Json>& all = what.pod_volume_backups;
  if (all.empty()) return "\tPod Volume Backups: <none included>\n";
  return fmt::format("\tPod Volume Backups - {}{}:\n", text_at(all.front(), {"spec", "uploaderType"}),
                     what.details ? "" : " (specify --details for more information)") +
         pod_volumes_text(pod_volumes_by_phase(all, kPodVolumeBackupPhases), "\t\t", what.details);
}

std::string without_data_text(const Json& info) {
  const std::string claim = text_at(info, {"pvcName"});
  const std::string name = claim.empty() ? text_at(info, {"pvName"}) : text_at(info, {"pvcNamespace"}) + "/" + claim;
  const std::string reason = text_at(info, {"skippedReason"});
  return fmt::format("{}: {}{}", name, json::bool_or(info, {"skipped"}, false) ? "skipped" : "failed",
                     reason.empty() ? "" : ", " + reason);
}

// Landfall's own: what plugins tell of their snapshots.
std::string plugin_part(const BackupDescription& what, WallTime now) {
  if (what.volume_plugin_backups.empty()) return "";
  return fmt::format("\n\tSnapshots of plugins{}:\n", what.details ? "" : " (specify --details for more information)") +
         plugin_volumes_text(what.volume_plugin_backups, "\t\t", what.details, now);
}

// Landfall's own: how far is it?
std::string under_way_part(const BackupDescription& what, WallTime now) {
  std::vector<std::string> texts = pod_volumes_under_way(what.pod_volume_backups, now);
  std::ranges::move(plugin_volumes_under_way(what.volume_plugin_backups, now), std::back_inserter(texts));
  return texts.empty() ? "" : fmt::format("\n\tUnder way:\n\t\t{}\n", join(texts, "\n\t\t"));
}

// Landfall's own: nobody should find out about these at a restore. Until there is a file, the volumes of pods say it.
std::string without_data_part(const BackupDescription& what) {
  std::vector<std::string> texts;
  texts.reserve(what.volumes.without_data.size());
  for (const Json& info : what.volumes.without_data) texts.push_back(without_data_text(info));
  if (what.volumes.is_legacy) {
    texts = pod_volumes_without_data(what.pod_volume_backups);
    std::ranges::move(plugin_volumes_without_data(what.volume_plugin_backups), std::back_inserter(texts));
  }
  return texts.empty() ? "" : fmt::format("\n\tWithout data:\n\t\t{}\n", join(texts, "\n\t\t"));
}

std::string own_part(const BackupDescription& what, WallTime now) {
  return plugin_part(what, now) + under_way_part(what, now) + without_data_part(what);
}

}  // namespace

std::string backup_volumes_part(const BackupDescription& what, const Context& context) {
  const std::string heading = "Backup Volumes:\n";
  if (!what.volumes.error.empty()) {
    return heading + fmt::format("\t<{}>\n", terminal::printable(what.volumes.error));
  }
  return heading + native_part(what) + "\n" + csi_part(what) + "\n" + pod_volumes_part(what) +
         (context.called_as_velero() ? "" : own_part(what, context.clock.wall_now()));
}

}  // namespace landfall::cli
