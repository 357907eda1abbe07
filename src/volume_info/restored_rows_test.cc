#include "volume_info/restored_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bucket/test_bucket.h"
#include "json/parse.h"
#include "json/yaml.h"

namespace landfall::volume_info {
namespace {

using json::Json;

Json yaml(std::string_view text) { return json::parse_yaml(text).value(); }

Json transfer(const std::string& status) { return {{"status", yaml(status)}}; }

TEST(RestoredRows, OfAPodVolumeHaveWhatVeleroHasOfIt) {
  bucket::TestBucket bucket;
  bucket.load(std::filesystem::path(LANDFALL_SOURCE_DIR) / "tests/data/velero-1.18.3-volumes");
  const Json velero =
      bucket.backups.read("books-fs-r", bucket::RestoreArtifact::kVolumeInfos, {}).value().value().at(0);
  RestoredVolume row = row_of_pod_volume_restore(yaml(R"(
metadata: {name: books-fs-r-x6kr7, annotations: {velero.io/pvc-name: data-db-0}}
spec:
  pod: {kind: Pod, name: db-0, namespace: bookshop, uid: u}
  snapshotID: e922127fd3efe358ae3158d3a5517c94
  snapshotSize: 1048576005
  sourceNamespace: bookshop
  uploaderType: kopia
  volume: data
status:
  completionTimestamp: "2026-11-15T08:06:53Z"
  node: localhost
  phase: Completed
  progress: {bytesDone: 1048576005, totalBytes: 1048576005}
  startTimestamp: "2026-11-15T08:06:42Z"
)"));
  add_claim(row, yaml("{spec: {volumeName: pv-new}, status: {phase: Bound}}"), "now");
  Json ours = to_json(row);
  EXPECT_EQ(ours["bytesRestored"], 1048576005);
  EXPECT_EQ(ours["result"], "succeeded");
  EXPECT_EQ(ours["startTimestamp"], "2026-11-15T08:06:42Z");
  EXPECT_EQ(ours["completionTimestamp"], "2026-11-15T08:06:53Z");
  for (const char* beyond : {"bytesRestored", "result", "startTimestamp", "completionTimestamp"}) ours.erase(beyond);
  EXPECT_EQ(ours, velero);
}

TEST(RestoredRows, TellHowATransferEnded) {
  for (const auto& of : {&row_of_pod_volume_restore, &row_of_data_download}) {
    EXPECT_EQ(of(transfer("{phase: Completed}")).result, "succeeded");
    EXPECT_EQ(of(transfer("{phase: InProgress, progress: {bytesDone: 3}}")).result, "inProgress");
    EXPECT_EQ(of(transfer("{phase: InProgress, progress: {bytesDone: 3}}")).bytes_restored, 3);
    EXPECT_EQ(of(transfer("{phase: InProgress, progress: {bytesDone: -3}}")).bytes_restored, 0);
    EXPECT_FALSE(of(transfer("{phase: New}")).bytes_restored);
    EXPECT_EQ(of(transfer("{phase: Failed, message: disk full}")).result, "failed");
    EXPECT_EQ(of(transfer("{phase: Failed, message: disk full}")).message, "disk full");
    EXPECT_NE(of(transfer("{phase: Failed}")).message, "");
    EXPECT_EQ(of(transfer("{phase: Canceled}")).message, "canceled");
    EXPECT_EQ(of(Json("odd")).result, "inProgress");
  }
}

TEST(RestoredRows, OfACsiSnapshotAreDoneWhenTheClaimIsBound) {
  const Json snapshot = yaml("{status: {restoreSize: 1Gi}}");
  RestoredVolume row = row_of_csi_snapshot(&snapshot);
  add_claim(row, yaml("{status: {phase: Pending}}"), "now");
  EXPECT_EQ(row.result, "inProgress");
  EXPECT_EQ(row.message, "its claim is not bound yet");
  add_claim(row, yaml("{spec: {volumeName: pv-1}, status: {phase: Bound}}"), "now");
  EXPECT_EQ(row.result, "succeeded");
  EXPECT_EQ(row.message, "");
  EXPECT_EQ(row.volume, "pv-1");
  EXPECT_EQ(row.completed, "now");
  EXPECT_EQ(row.bytes_restored, 1 << 30);
}

TEST(RestoredRows, OfOtherMethodsOnlyGetTheVolumeOfTheClaim) {
  RestoredVolume row = row_of_data_download(transfer("{phase: Failed, message: no}"));
  add_claim(row, yaml("{spec: {volumeName: pv-1}, status: {phase: Bound}}"), "now");
  EXPECT_EQ(row.result, "failed");
  EXPECT_EQ(row.volume, "pv-1");
}

TEST(RestoredRows, KnowSnapshotsOfCsiOnly) {
  const auto source = [](const char* text) { return Json{{"spec", {{"dataSource", yaml(text)}}}}; };
  EXPECT_EQ(snapshot_of_claim(source("{apiGroup: snapshot.storage.k8s.io, kind: VolumeSnapshot, name: a}")), "a");
  EXPECT_EQ(snapshot_of_claim(source("{kind: PersistentVolumeClaim, name: a}")), "");
  EXPECT_EQ(snapshot_of_claim(source("{apiGroup: example.com, kind: VolumeSnapshot, name: a}")), "");
  EXPECT_EQ(snapshot_of_claim(Json(3)), "");
}

}  // namespace
}  // namespace landfall::volume_info
