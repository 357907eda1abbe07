#include "control/restore_inputs.h"

#include <cstdint>
#include <memory>
#include <set>
#include <utility>

#include "api/labels.h"
#include "bucket/stored_archive.h"
#include "json/access.h"
#include "k8s/names.h"
#include "k8s/object_view.h"
#include "kube/resource.h"

namespace landfall::control {

using bucket::BackupArtifact;

namespace {

// A restore may begin in the moment in which a backup is brought into this cluster, before the rest of it.
Result<std::vector<json::Json>> pod_volume_backups(const Context& context, bucket::BackupStore& bucket,
                                                   const json::Json& backup, const std::stop_token& stop) {
  const std::string name(k8s::ObjectView(backup).name());
  const std::string selector = std::string(api::label::kBackupName) + "=" + k8s::label_safe(name);
  TRY_ASSIGN(kube::ObjectList live, "",
             context.objects(api::kPodVolumeBackup).list({.label_selector = selector}, stop));
  TRY_ASSIGN(std::optional<json::Json> stored, "", bucket.read(name, BackupArtifact::kPodVolumeBackups, stop));
  std::set<std::string> known;
  for (const json::Json& one : live.items) known.emplace(k8s::ObjectView(one).name());
  if (!stored || !stored->is_array()) return std::move(live.items);
  for (json::Json& one : *stored) {
    if (!one.is_object() || known.contains(std::string(k8s::ObjectView(one).name()))) continue;
    // Another cluster may have another name for the location.
    TRY("",
        json::set_at(one, {"spec", "backupStorageLocation"}, json::string_or(backup, {"spec", "storageLocation"}, "")));
    live.items.push_back(std::move(one));
  }
  return std::move(live.items);
}

}  // namespace

Result<RestoreInputs> read_restore_inputs(const Context& context, bucket::BackupStore& bucket, const json::Json& backup,
                                          const std::string& spool_directory, const std::stop_token& stop) {
  const std::string name(k8s::ObjectView(backup).name());
  TRY_ASSIGN(auto archive, "",
             bucket::read_stored_archive(bucket, name, spool_directory, [](std::uint64_t /*count*/) {}, stop));
  TRY_ASSIGN(auto infos, "volume information", bucket.read(name, BackupArtifact::kVolumeInfos, stop));
  TRY_ASSIGN(auto snapshots, "volume snapshots", bucket.read(name, BackupArtifact::kVolumeSnapshots, stop));
  TRY_ASSIGN(auto csi, "CSI volume snapshots", bucket.read(name, BackupArtifact::kCsiVolumeSnapshots, stop));
  TRY_ASSIGN(auto volumes, "pod volume backups", pod_volume_backups(context, bucket, backup, stop));
  return RestoreInputs{.archive = std::move(archive),
                       .volume_infos = std::move(infos),
                       .volume_snapshots = std::move(snapshots),
                       .csi_volume_snapshots = std::move(csi),
                       .pod_volume_backups = std::move(volumes)};
}

}  // namespace landfall::control
