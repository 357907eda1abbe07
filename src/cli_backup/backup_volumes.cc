#include "cli_backup/backup_volumes.h"

#include <utility>

#include "api/status.h"
#include "base/result.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::cli {

using api::DownloadTarget;
using json::Json;

namespace {

Error missing(const DescribedFile& file, const std::string& context) {
  return Error(Code::kNotFound, context + ": " + file.why_not());
}

Json text_or_nothing(const Json& object, const json::Path& path) { return json::string_or(object, path, ""); }

Json native_info(const Json& snapshot) {
  Json native = {{"snapshotHandle", text_or_nothing(snapshot, {"status", "providerSnapshotID"})},
                 {"volumeType", text_or_nothing(snapshot, {"spec", "volumeType"})},
                 {"volumeAZ", text_or_nothing(snapshot, {"spec", "volumeAZ"})}};
  if (json::has(snapshot, {"spec", "volumeIOPS"})) {
    native["iops"] = std::to_string(json::int_or(snapshot, {"spec", "volumeIOPS"}, 0));
  }
  return {{"pvName", text_or_nothing(snapshot, {"spec", "persistentVolumeName"})},
          {"nativeSnapshotInfo", std::move(native)}};
}

Result<std::vector<Json>> older_native(const Json& backup, DescribedFiles& files) {
  std::vector<Json> infos;
  if (api::status_count(backup, api::field::kVolumeSnapshotsAttempted) == 0) return infos;
  const DescribedFile file = files.fetch(DownloadTarget::kBackupVolumeSnapshots);
  if (!file.document || !file.document->is_array()) {
    return tl::unexpected(missing(file, "error to download native snapshot info"));
  }
  for (const Json& snapshot : *file.document) infos.push_back(native_info(snapshot));
  return infos;
}

Json csi_info(const Json& content, const Json& snapshots) {
  const std::string name(k8s::ObjectView(content).name());
  Json info = {{"preserveLocalSnapshot", true},
               {"pvcName", "<PVC name not found>"},
               {"csiSnapshotInfo",
                {{"vscName", name},
                 {"driver", text_or_nothing(content, {"spec", "driver"})},
                 {"snapshotHandle", text_or_nothing(content, {"status", "snapshotHandle"})},
                 {"size", json::int_or(content, {"status", "restoreSize"}, 0)}}}};
  for (const Json& snapshot : snapshots) {
    const std::string* claim = json::find_string(snapshot, {"spec", "source", "persistentVolumeClaimName"});
    if (claim == nullptr) continue;
    if (json::string_or(snapshot, {"status", "boundVolumeSnapshotContentName"}, "") != name) continue;
    info["pvcName"] = *claim;
    info["pvcNamespace"] = std::string(k8s::ObjectView(snapshot).name_space());
  }
  return info;
}

Result<std::vector<Json>> older_csi(const Json& backup, DescribedFiles& files) {
  std::vector<Json> infos;
  if (api::status_count(backup, api::field::kCsiVolumeSnapshotsAttempted) == 0) return infos;
  const DescribedFile snapshots = files.fetch(DownloadTarget::kCsiBackupVolumeSnapshots);
  if (!snapshots.document || !snapshots.document->is_array()) {
    return tl::unexpected(missing(snapshots, "error to download vs list"));
  }
  const DescribedFile contents = files.fetch(DownloadTarget::kCsiBackupVolumeSnapshotContents);
  if (!contents.document || !contents.document->is_array()) {
    return tl::unexpected(missing(contents, "error to download vsc list"));
  }
  for (const Json& content : *contents.document) infos.push_back(csi_info(content, *snapshots.document));
  return infos;
}

void read_legacy(const Json& backup, DescribedFiles& files, BackupVolumes& volumes) {
  volumes.is_legacy = true;
  auto native = older_native(backup, files);
  if (!native) {
    volumes.error = "error concluding native snapshot info: " + native.error().message();
    return;
  }
  volumes.native = *std::move(native);
  auto csi = older_csi(backup, files);
  if (!csi) {
    volumes.error = "error concluding CSI snapshot info: " + csi.error().message();
    return;
  }
  volumes.csi = *std::move(csi);
}

}  // namespace

BackupVolumes read_backup_volumes(const Json& backup, DescribedFiles& files) {
  BackupVolumes volumes;
  const DescribedFile file = files.fetch(DownloadTarget::kBackupVolumeInfos);
  if (file.is_missing()) {
    read_legacy(backup, files, volumes);
    return volumes;
  }
  if (!file.document) {
    volumes.error = "error getting backup volume info: " + file.why_not();
    return volumes;
  }
  if (!file.document->is_array()) {
    volumes.error = "error reading backup volume info: it is no list";
    return volumes;
  }
  for (const Json& info : *file.document) {
    const std::string method = json::string_or(info, {"backupMethod"}, "");
    if (method == "NativeSnapshot") volumes.native.push_back(info);
    if (method == "CSISnapshot") volumes.csi.push_back(info);
    if (json::bool_or(info, {"skipped"}, false) || json::string_or(info, {"result"}, "") == "failed") {
      volumes.without_data.push_back(info);
    }
  }
  return volumes;
}

}  // namespace landfall::cli
