#include "control/restore_inputs.h"

#include <cstdint>
#include <memory>
#include <utility>

#include "api/labels.h"
#include "bucket/stored_archive.h"
#include "k8s/names.h"
#include "kube/resource.h"

namespace landfall::control {

using bucket::BackupArtifact;

Result<RestoreInputs> read_restore_inputs(const Context& context, bucket::BackupStore& bucket,
                                          const std::string& backup, const std::string& spool_directory,
                                          const std::stop_token& stop) {
  TRY_ASSIGN(auto archive, "",
             bucket::read_stored_archive(bucket, backup, spool_directory, [](std::uint64_t /*count*/) {}, stop));
  TRY_ASSIGN(auto infos, "volume information", bucket.read(backup, BackupArtifact::kVolumeInfos, stop));
  TRY_ASSIGN(auto snapshots, "volume snapshots", bucket.read(backup, BackupArtifact::kVolumeSnapshots, stop));
  TRY_ASSIGN(auto csi, "CSI volume snapshots", bucket.read(backup, BackupArtifact::kCsiVolumeSnapshots, stop));
  const std::string selector = std::string(api::label::kBackupName) + "=" + k8s::label_safe(backup);
  TRY_ASSIGN(kube::ObjectList volumes, "list pod volume backups",
             context.objects(api::kPodVolumeBackup).list({.label_selector = selector}, stop));
  return RestoreInputs{.archive = std::move(archive),
                       .volume_infos = std::move(infos),
                       .volume_snapshots = std::move(snapshots),
                       .csi_volume_snapshots = std::move(csi),
                       .pod_volume_backups = std::move(volumes.items)};
}

}  // namespace landfall::control
