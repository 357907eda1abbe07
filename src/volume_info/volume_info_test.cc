#include "volume_info/volume_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "bucket/test_bucket.h"

namespace landfall::volume_info {
namespace {

using json::Json;
using testing::ElementsAreArray;

// "csiSnapshotInfo.size number" of every field.
void collect(const Json& value, const std::string& path, std::set<std::string>& into) {
  if (!value.is_object()) {
    into.insert(path + " " + std::string(value.is_number() ? "number" : value.type_name()));
    return;
  }
  for (const auto& [key, inner] : value.items()) collect(inner, path.empty() ? key : path + "." + key, into);
}
std::set<std::string> fields(const Json& row) {
  std::set<std::string> found;
  collect(row, "", found);
  return found;
}

template <class Row>
Row full_row() {
  Row row;
  row.claim = {"shop", "data"};
  row.volume = "pv-1";
  row.method = "m";
  row.is_data_moved = true;
  row.started = "2026-05-20T01:00:03Z";
  row.completed = "2026-05-20T01:00:07Z";
  row.result = "succeeded";
  row.csi = {
      .handle = "h", .size = 1, .driver = "d", .content = "c", .operation = "o", .is_ready = true, .group_handle = "g"};
  row.movement = {.data_mover = "velero",
                  .uploader = "kopia",
                  .retained_snapshot = "r",
                  .handle = "h",
                  .operation = "o",
                  .size = 1,
                  .incremental_size = 2,
                  .phase = "Completed"};
  row.native = {.handle = "h",
                .volume_type = "t",
                .zone = "z",
                .iops = "100",
                .phase = "Completed",
                .progress_resource = "snap-1",
                .progress = Bytes{.done = 1, .total = 2}};
  row.pod_volume = {.handle = "h",
                    .size = 1,
                    .incremental_size = 2,
                    .uploader = "restic",
                    .volume = "data",
                    .pod = {"shop", "db-0"},
                    .node = "n1",
                    .phase = "Completed"};
  return row;
}

BackedUpVolume full_backup() {
  auto row = full_row<BackedUpVolume>();
  row.keeps_local_snapshot = true;
  row.is_skipped = true;
  row.skipped_reason = "because";
  row.traits = {.reclaim_policy = "Delete", .labels = {{"a", "b"}}};
  return row;
}

RestoredVolume full_restore() {
  auto row = full_row<RestoredVolume>();
  row.message = "why";
  row.bytes_restored = 7;
  return row;
}

// Others read these. A field may be added here; one that is changed or taken away breaks them.
const std::set<std::string> kShared = {
    "completionTimestamp string",
    "csiSnapshotInfo.ReadyToUse boolean",
    "csiSnapshotInfo.driver string",
    "csiSnapshotInfo.operationID string",
    "csiSnapshotInfo.size number",
    "csiSnapshotInfo.snapshotHandle string",
    "csiSnapshotInfo.volumeGroupSnapshotHandle string",
    "csiSnapshotInfo.vscName string",
    "nativeSnapshotInfo.Phase string",
    "nativeSnapshotInfo.iops string",
    "nativeSnapshotInfo.progress.bytesDone number",
    "nativeSnapshotInfo.progress.totalBytes number",
    "nativeSnapshotInfo.progressResource string",
    "nativeSnapshotInfo.snapshotHandle string",
    "nativeSnapshotInfo.volumeAZ string",
    "nativeSnapshotInfo.volumeType string",
    "pvName string",
    "pvcName string",
    "pvcNamespace string",
    "result string",
    "snapshotDataMoved boolean",
    "snapshotDataMovementInfo.Phase string",
    "snapshotDataMovementInfo.dataMover string",
    "snapshotDataMovementInfo.incrementalSize number",
    "snapshotDataMovementInfo.operationID string",
    "snapshotDataMovementInfo.retainedSnapshot string",
    "snapshotDataMovementInfo.size number",
    "snapshotDataMovementInfo.snapshotHandle string",
    "snapshotDataMovementInfo.uploaderType string",
    "startTimestamp string",
};

std::set<std::string> with_pod_volume(const std::string& key, std::set<std::string> own) {
  own.insert(kShared.begin(), kShared.end());
  for (const char* field :
       {"Phase string", "incrementalSize number", "nodeName string", "podName string", "podNamespace string",
        "size number", "snapshotHandle string", "uploaderType string", "volumeName string"}) {
    own.insert(key + "." + field);
  }
  return own;
}

TEST(VolumeInfo, HasTheseFieldsOfABackup) {
  EXPECT_THAT(fields(to_json(full_backup())),
              ElementsAreArray(with_pod_volume(
                  "pvbInfo", {"backupMethod string", "preserveLocalSnapshot boolean", "pvInfo.labels.a string",
                              "pvInfo.reclaimPolicy string", "skipped boolean", "skippedReason string"})));
}

TEST(VolumeInfo, HasTheseFieldsOfARestoreAndNoneOfABackup) {
  EXPECT_THAT(
      fields(to_json(full_restore())),
      ElementsAreArray(with_pod_volume("pvrInfo", {"bytesRestored number", "message string", "restoreMethod string"})));
}

TEST(VolumeInfo, WritesOnlyWhatVeleroWritesOfAnEmptyRow) {
  EXPECT_EQ(to_json(BackedUpVolume()),
            Json({{"snapshotDataMoved", false}, {"preserveLocalSnapshot", false}, {"skipped", false}}));
  EXPECT_EQ(to_json(RestoredVolume()), Json({{"snapshotDataMoved", false}}));
  RestoredVolume row;
  row.csi.emplace();
  row.movement.emplace();
  row.native.emplace();
  row.pod_volume.emplace();
  EXPECT_THAT(fields(to_json(row)),
              ElementsAreArray(std::set<std::string>{"csiSnapshotInfo.ReadyToUse null",
                                                     "csiSnapshotInfo.driver string",
                                                     "csiSnapshotInfo.size number",
                                                     "csiSnapshotInfo.snapshotHandle string",
                                                     "csiSnapshotInfo.vscName string",
                                                     "nativeSnapshotInfo.Phase string",
                                                     "nativeSnapshotInfo.iops string",
                                                     "nativeSnapshotInfo.snapshotHandle string",
                                                     "nativeSnapshotInfo.volumeAZ string",
                                                     "nativeSnapshotInfo.volumeType string",
                                                     "pvrInfo.Phase string",
                                                     "pvrInfo.podName string",
                                                     "pvrInfo.podNamespace string",
                                                     "pvrInfo.uploaderType string",
                                                     "pvrInfo.volumeName string",
                                                     "snapshotDataMoved boolean",
                                                     "snapshotDataMovementInfo.Phase string",
                                                     "snapshotDataMovementInfo.dataMover string",
                                                     "snapshotDataMovementInfo.operationID string",
                                                     "snapshotDataMovementInfo.size number",
                                                     "snapshotDataMovementInfo.snapshotHandle string",
                                                     "snapshotDataMovementInfo.uploaderType string"}));
}

TEST(VolumeInfo, IsReadAsItIsWritten) {
  EXPECT_EQ(to_json(read_backed_up(to_json(full_backup()))), to_json(full_backup()));
  EXPECT_EQ(to_json(read_restored(to_json(full_restore()))), to_json(full_restore()));
}

TEST(VolumeInfo, OfVeleroIsTheSameAfterReadingAndWriting) {
  bucket::TestBucket bucket;
  bucket.load(std::filesystem::path(LANDFALL_SOURCE_DIR) / "tests/data/velero-1.18.3-volumes");
  const Json backup = bucket.backups.read("books-fs", bucket::BackupArtifact::kVolumeInfos, {}).value().value();
  ASSERT_EQ(backup.size(), 1U);
  EXPECT_EQ(to_json(read_backed_up(backup[0])), backup[0]);
  const Json restore = bucket.backups.read("books-fs-r", bucket::RestoreArtifact::kVolumeInfos, {}).value().value();
  ASSERT_EQ(restore.size(), 1U);
  EXPECT_EQ(to_json(read_restored(restore[0])), restore[0]);
}

TEST(VolumeInfo, TakesNoOffenceAtWhatItDoesNotKnow) {
  const Json row = {{"pvcName", "data"},
                    {"pvName", 7},
                    {"snapshotDataMoved", "yes"},
                    {"nativeSnapshotInfo", "none"},
                    {"csiSnapshotInfo", {{"size", "big"}, {"colour", "blue"}}},
                    {"whatever", Json::array({1, 2})}};
  const RestoredVolume read = read_restored(row);
  EXPECT_EQ(read.claim.name, "data");
  EXPECT_EQ(read.volume, "");
  EXPECT_FALSE(read.is_data_moved);
  EXPECT_FALSE(read.native);
  ASSERT_TRUE(read.csi);
  EXPECT_EQ(read.csi->size, 0);
  EXPECT_EQ(to_json(read_backed_up(Json("no row"))), to_json(BackedUpVolume()));
}

}  // namespace
}  // namespace landfall::volume_info
