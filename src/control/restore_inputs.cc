#include "control/restore_inputs.h"

#include <cstdint>
#include <memory>
#include <utility>

#include "api/labels.h"
#include "bucket/verified_reader.h"
#include "k8s/names.h"
#include "kube/resource.h"

namespace landfall::control {
namespace {

using bucket::BackupArtifact;

// The digests that the backup has recorded; none where a newer release has written them in a form that is not known.
Result<std::optional<bucket::Checksums>> checksums_of(bucket::BackupStore& bucket, const std::string& backup,
                                                      const std::stop_token& stop) {
  auto checksums = bucket.read_checksums(backup, stop);
  if (!checksums && checksums.error().code() == Code::kUnsupported) return std::optional<bucket::Checksums>();
  return checksums;
}

Result<archive::SpooledArchive> read_archive(bucket::BackupStore& bucket, const std::string& backup,
                                             const std::string& spool_directory, const std::stop_token& stop) {
  TRY_ASSIGN(const auto folder, "", bucket.layout().backup(backup));
  auto bytes = bucket.open(backup, BackupArtifact::kContents, stop);
  if (!bytes && bytes.error().code() == Code::kNotFound) {
    return fail(Code::kNotFound, "there is no archive " + folder.file(BackupArtifact::kContents) +
                                     " in the bucket: the backup has no contents");
  }
  if (!bytes) return fail("", std::move(bytes).error());
  TRY_ASSIGN(const auto checksums, "", checksums_of(bucket, backup, stop));
  bucket::VerifiedReader reader(**bytes, [](std::uint64_t /*count*/) {});
  auto archive = archive::SpooledArchive::read(reader, {.directory = spool_directory, .limits = {}}, stop, {});
  if (!archive) return fail("archive " + folder.file(BackupArtifact::kContents), std::move(archive).error());
  TRY("read the archive", bucket::drain(reader));
  if (!checksums) return archive;
  const auto expected = checksums->files.find(folder.file(BackupArtifact::kContents));
  if (expected != checksums->files.end() && !expected->second.fits(reader.finish())) {
    return fail(Code::kDataLoss, "archive " + folder.file(BackupArtifact::kContents) +
                                     " is not the one that was stored: its SHA-256 is not the one that was recorded");
  }
  return archive;
}

}  // namespace

Result<RestoreInputs> read_restore_inputs(const Context& context, bucket::BackupStore& bucket,
                                          const std::string& backup, const std::string& spool_directory,
                                          const std::stop_token& stop) {
  TRY_ASSIGN(auto archive, "", read_archive(bucket, backup, spool_directory, stop));
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
