#include "volume_info/backup_csi_rows.h"

#include <gtest/gtest.h>

#include <string>

#include "base/rfc3339.h"
#include "json/yaml.h"
#include "volume_info/backup_rows.h"

namespace landfall::volume_info {
namespace {

using json::Json;
using operation::ItemOperation;
using operation::OperationPhase;

Json yaml(const std::string& text) { return json::parse_yaml(text).value(); }

// What the ledger of a backup says of two volumes that nobody has taken, and of one without a claim.
Json ledger() {
  return yaml(R"(
- {pvName: pv-1, pvcName: data, pvcNamespace: shop, snapshotDataMoved: false, preserveLocalSnapshot: false,
   skipped: true, skippedReason: "podvolume: opted out;", pvInfo: {reclaimPolicy: Delete, labels: {tier: gold}}}
- {pvName: pv-2, pvcName: cache, pvcNamespace: shop, snapshotDataMoved: false, preserveLocalSnapshot: false,
   skipped: true, pvInfo: {reclaimPolicy: Retain, labels: null}}
- {pvName: pv-3, snapshotDataMoved: false, preserveLocalSnapshot: false, skipped: true,
   pvInfo: {reclaimPolicy: Retain, labels: null}}
)");
}

Json snapshot() {
  return yaml(R"(
apiVersion: snapshot.storage.k8s.io/v1
kind: VolumeSnapshot
metadata:
  name: velero-data-x7f2q
  namespace: shop
  labels: {velero.io/backup-name: b1}
  annotations: {velero.io/csi-volumegroupsnapshot-handle: group-7}
spec: {source: {persistentVolumeClaimName: data}, volumeSnapshotClassName: fast}
status:
  boundVolumeSnapshotContentName: snapcontent-1
  creationTime: "2026-05-20T01:00:03Z"
  readyToUse: false
  restoreSize: 1Gi
)");
}

Json content() {
  return yaml(R"(
metadata: {name: snapcontent-1, labels: {velero.io/backup-name: b1}}
spec: {driver: disk.example.com, deletionPolicy: Delete}
status: {snapshotHandle: snap-0123, restoreSize: 1073741824, readyToUse: false}
)");
}

ItemOperation snapshot_operation() {
  ItemOperation operation;
  operation.action = "velero.io/csi-volumesnapshot-backupper";
  operation.operation_id = "shop/velero-data-x7f2q/2026-05-20T01:00:04Z";
  operation.item = {{"snapshot.storage.k8s.io", "volumesnapshots"}, "shop", "velero-data-x7f2q"};
  return operation;
}

ItemOperation upload_operation() {
  ItemOperation operation;
  operation.action = "velero.io/csi-pvc-backupper";
  operation.operation_id = "du-1.2";
  operation.item = {{"", "persistentvolumeclaims"}, "shop", "data"};
  operation.after_operation = {{{"velero.io", "datauploads"}, "velero", "b1-4k2vd"}};
  return operation;
}

Json data_upload() {
  return yaml(R"(
metadata: {name: b1-4k2vd, namespace: velero, labels: {velero.io/backup-name: b1, velero.io/async-operation-id: du-1.2}}
spec:
  snapshotType: CSI
  csiSnapshot: {volumeSnapshot: velero-data-x7f2q, storageClass: fast, snapshotClass: fast, driver: disk.example.com}
  sourcePVC: data
  sourceNamespace: shop
status: {phase: Accepted, startTimestamp: "2026-05-20T01:00:05Z"}
)");
}

Json completed_upload() {
  Json upload = data_upload();
  upload["status"] = yaml(R"(
phase: Completed
startTimestamp: "2026-05-20T01:00:05Z"
completionTimestamp: "2026-05-20T01:02:00Z"
snapshotID: c0ffee
progress: {totalBytes: 1048576, bytesDone: 1048576}
incrementalBytes: 4096
)");
  return upload;
}

ItemOperation ended(ItemOperation operation, OperationPhase phase = OperationPhase::kCompleted,
                    const std::string& error = {}) {
  operation.phase = phase;
  operation.error = error;
  operation.updated = parse_rfc3339("2026-05-20T01:01:00Z").value();
  return operation;
}

TEST(CsiRows, AreVeleros) {
  Json rows = ledger();
  EXPECT_EQ(add_csi_snapshots(rows, {snapshot()}, {content()}, {snapshot_operation()}), 0U);
  ASSERT_EQ(rows.size(), 3U);
  const Json golden = Json::parse(R"({
    "pvcName": "data",
    "pvcNamespace": "shop",
    "pvName": "pv-1",
    "backupMethod": "CSISnapshot",
    "snapshotDataMoved": false,
    "preserveLocalSnapshot": true,
    "skipped": false,
    "startTimestamp": "2026-05-20T01:00:03Z",
    "csiSnapshotInfo": {
      "snapshotHandle": "snap-0123",
      "size": 1073741824,
      "driver": "disk.example.com",
      "vscName": "snapcontent-1",
      "operationID": "shop/velero-data-x7f2q/2026-05-20T01:00:04Z",
      "ReadyToUse": false,
      "volumeGroupSnapshotHandle": "group-7"
    },
    "pvInfo": {"reclaimPolicy": "Delete", "labels": {"tier": "gold"}}
  })");
  EXPECT_EQ(rows[0], golden);
  EXPECT_EQ(rows[1], ledger()[1]);
  EXPECT_EQ(rows[2], ledger()[2]);
}

TEST(CsiRows, OfASnapshotWithoutAnOperationHaveNone) {
  Json bare = snapshot();
  bare["status"].erase("readyToUse");
  bare["metadata"].erase("annotations");
  Json rows = ledger();
  ItemOperation other = snapshot_operation();
  other.item.name_space = "elsewhere";
  add_csi_snapshots(rows, {bare}, {content()}, {other});
  EXPECT_EQ(rows[0]["csiSnapshotInfo"], Json::parse(R"({
    "snapshotHandle": "snap-0123", "size": 1073741824, "driver": "disk.example.com", "vscName": "snapcontent-1",
    "ReadyToUse": null})"));
}

TEST(CsiRows, NeedAContentOfTheBackupAndAVolumeInIt) {
  Json rows = ledger();
  EXPECT_EQ(add_csi_snapshots(rows, {snapshot()}, {}, {}), 0U);
  EXPECT_EQ(rows, ledger());
  Json stranger = snapshot();
  stranger["spec"]["source"]["persistentVolumeClaimName"] = "nobody";
  EXPECT_EQ(add_csi_snapshots(rows, {stranger}, {content()}, {}), 1U);
  EXPECT_EQ(rows, ledger());
}

TEST(CsiRows, TakeTheRowOfAVolumeForTheSnapshotOfThisTry) {
  Json earlier = snapshot();
  earlier["metadata"]["name"] = "velero-data-first";
  earlier["status"]["boundVolumeSnapshotContentName"] = "snapcontent-0";
  Json earlier_content = content();
  earlier_content["metadata"]["name"] = "snapcontent-0";
  Json rows = ledger();
  add_csi_snapshots(rows, {earlier, snapshot()}, {earlier_content, content()}, {snapshot_operation()});
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0]["csiSnapshotInfo"]["vscName"], "snapcontent-1");
  EXPECT_EQ(rows[3]["csiSnapshotInfo"]["vscName"], "snapcontent-0");
  EXPECT_EQ(rows[3]["pvName"], "pv-1");
}

TEST(CsiRows, LeaveTheRowOfAVolumeThatAnotherHasTaken) {
  Json rows = ledger();
  rows[0]["skipped"] = false;
  rows[0]["backupMethod"] = "PodVolumeBackup";
  add_csi_snapshots(rows, {snapshot()}, {content()}, {});
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0]["backupMethod"], "PodVolumeBackup");
  EXPECT_EQ(rows[3]["backupMethod"], "CSISnapshot");
}

TEST(CsiRows, AreMadeOfWhatHasTheRightType) {
  Json odd = snapshot();
  odd["status"]["restoreSize"] = "much";
  odd["status"]["creationTime"] = "yesterday";
  odd["status"]["readyToUse"] = "yes";
  odd["metadata"]["annotations"] = 7;
  Json odd_content = content();
  odd_content["spec"] = "none";
  odd_content["status"] = Json::array({1});
  Json rows = ledger();
  EXPECT_EQ(add_csi_snapshots(rows, {odd, Json(3), Json()}, {odd_content, Json("x")}, {}), 0U);
  EXPECT_FALSE(rows[0].contains("startTimestamp"));
  EXPECT_EQ(rows[0]["csiSnapshotInfo"],
            Json::parse(R"({"snapshotHandle": "", "size": 0, "driver": "", "vscName": "snapcontent-1",
                            "ReadyToUse": null})"));

  Json number = snapshot();
  number["status"]["restoreSize"] = 77;
  rows = ledger();
  add_csi_snapshots(rows, {number}, {content()}, {});
  EXPECT_EQ(rows[0]["csiSnapshotInfo"]["size"], 77);
}

TEST(CsiRows, LeaveADocumentAloneThatHasNoRows) {
  for (const Json& document : {Json(), Json("rows"), Json::object(), Json::array({1, "x", nullptr})}) {
    Json rows = document;
    add_csi_snapshots(rows, {snapshot()}, {content()}, {snapshot_operation()});
    add_data_uploads(rows, {data_upload()}, {upload_operation()});
    end_csi_rows(rows, {completed_upload()}, {upload_operation(), snapshot_operation()});
    EXPECT_EQ(rows, document);
  }
}

TEST(CsiRows, EndAsTheirOperations) {
  Json rows = ledger();
  add_csi_snapshots(rows, {snapshot()}, {content()}, {snapshot_operation()});
  rows[0]["laterField"] = 1;
  Json expected = rows;

  end_csi_rows(rows, {}, {snapshot_operation()});
  EXPECT_EQ(rows, expected) << "it is not over";
  end_csi_rows(rows, {}, {ended(snapshot_operation())});
  expected[0]["completionTimestamp"] = "2026-05-20T01:01:00Z";
  expected[0]["result"] = "succeeded";
  EXPECT_EQ(rows, expected);
  end_csi_rows(rows, {}, {ended(snapshot_operation(), OperationPhase::kFailed, "no")});
  EXPECT_EQ(rows[0]["result"], "failed");
}

TEST(DataUploadRows, AreVeleros) {
  Json rows = ledger();
  EXPECT_TRUE(has_data_uploads({upload_operation()}));
  EXPECT_FALSE(has_data_uploads({snapshot_operation()}));
  EXPECT_EQ(add_data_uploads(rows, {data_upload()}, {snapshot_operation(), upload_operation()}), 0U);
  const Json golden = Json::parse(R"({
    "pvcName": "data",
    "pvcNamespace": "shop",
    "pvName": "pv-1",
    "backupMethod": "CSISnapshot",
    "snapshotDataMoved": true,
    "preserveLocalSnapshot": false,
    "skipped": false,
    "startTimestamp": "2026-05-20T01:00:05Z",
    "csiSnapshotInfo": {
      "snapshotHandle": "unknown",
      "size": 0,
      "driver": "disk.example.com",
      "vscName": "unknown",
      "operationID": "unknown",
      "ReadyToUse": null
    },
    "snapshotDataMovementInfo": {
      "dataMover": "velero",
      "uploaderType": "kopia",
      "snapshotHandle": "",
      "operationID": "du-1.2",
      "size": 0,
      "Phase": "Accepted"
    },
    "pvInfo": {"reclaimPolicy": "Delete", "labels": {"tier": "gold"}}
  })");
  EXPECT_EQ(rows[0], golden);
  EXPECT_EQ(rows.size(), 3U);

  rows[0]["laterField"] = 1;
  end_csi_rows(rows, {completed_upload()}, {ended(upload_operation())});
  Json expected = golden;
  expected["laterField"] = 1;
  expected["completionTimestamp"] = "2026-05-20T01:02:00Z";
  expected["result"] = "succeeded";
  expected["snapshotDataMovementInfo"] = Json::parse(R"({
    "dataMover": "velero",
    "uploaderType": "kopia",
    "retainedSnapshot": "velero-data-x7f2q",
    "snapshotHandle": "c0ffee",
    "operationID": "du-1.2",
    "size": 1048576,
    "incrementalSize": 4096,
    "Phase": "Completed"
  })");
  EXPECT_EQ(rows[0], expected);
  end_csi_rows(rows, {completed_upload()}, {ended(upload_operation())});
  EXPECT_EQ(rows[0], expected) << "twice is once";
}

TEST(DataUploadRows, NameTheMoverAndHowItFailed) {
  Json upload = data_upload();
  upload["spec"]["datamover"] = "example.com/mover";
  Json rows = ledger();
  add_data_uploads(rows, {upload}, {upload_operation()});
  EXPECT_EQ(rows[0]["snapshotDataMovementInfo"]["dataMover"], "example.com/mover");
  upload["status"]["phase"] = "Canceled";
  end_csi_rows(rows, {upload}, {ended(upload_operation(), OperationPhase::kFailed, "no")});
  EXPECT_EQ(rows[0]["snapshotDataMovementInfo"]["Phase"], "Canceled");
  EXPECT_EQ(rows[0]["result"], "failed");
}

TEST(DataUploadRows, AreThereWithoutTheirDataUploads) {
  Json rows = ledger();
  EXPECT_EQ(add_data_uploads(rows, {}, {upload_operation()}), 0U);
  EXPECT_EQ(rows[0]["snapshotDataMoved"], true);
  EXPECT_EQ(rows[0]["snapshotDataMovementInfo"]["dataMover"], "unknown");
  EXPECT_EQ(rows[0]["snapshotDataMovementInfo"]["Phase"], "");
  Json again = rows;
  // By the operation, if nobody says more.
  end_csi_rows(rows, {}, {ended(upload_operation())});
  EXPECT_EQ(rows[0]["result"], "succeeded");
  EXPECT_EQ(rows[0]["completionTimestamp"], "2026-05-20T01:01:00Z");
  end_csi_rows(again, {completed_upload()}, {ended(upload_operation())});
  EXPECT_EQ(again[0]["snapshotDataMovementInfo"]["dataMover"], "velero");
}

TEST(DataUploadRows, AreMadeOfWhatHasTheRightType) {
  Json odd = data_upload();
  odd["spec"] = 7;
  odd["status"] = {{"phase", 1}, {"progress", "half"}, {"completionTimestamp", "soon"}, {"incrementalBytes", "x"}};
  Json rows = ledger();
  EXPECT_EQ(add_data_uploads(rows, {odd, Json(1)}, {upload_operation()}), 0U);
  end_csi_rows(rows, {odd, Json(1)}, {ended(upload_operation())});
  EXPECT_EQ(rows[0]["result"], "failed");
  EXPECT_FALSE(rows[0].contains("completionTimestamp"));
  EXPECT_EQ(rows[0]["snapshotDataMovementInfo"]["size"], 0);

  ItemOperation stranger = upload_operation();
  stranger.item.name = "nobody";
  EXPECT_EQ(add_data_uploads(rows, {data_upload()}, {stranger}), 1U);
}

}  // namespace
}  // namespace landfall::volume_info
