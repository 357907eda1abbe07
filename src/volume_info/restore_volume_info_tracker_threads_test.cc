#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "base/manual_clock.h"
#include "base/rfc3339.h"
#include "json/yaml.h"
#include "volume_info/restore_volume_info_tracker.h"
#include "volume_info/test_list_server.h"

namespace landfall::volume_info {
namespace {

using json::Json;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using End = HandledObject::End;

Json yaml(std::string_view text) { return json::parse_yaml(text).value(); }

const std::string kClaims = "/api/v1/namespaces/shop/persistentvolumeclaims";
const std::string kSnapshots = "/apis/snapshot.storage.k8s.io/v1/namespaces/shop/volumesnapshots";
const std::string kDownloads = "/apis/velero.io/v2alpha1/namespaces/velero/datadownloads";

HandledObject claim(const std::string& name, End end = End::kCreated) {
  return {.original = {"shop", name}, .now = {"shop", name}, .end = end};
}
HandledObject volume(const std::string& name, const std::string& now, End end = End::kCreated) {
  return {.original = {"", name}, .now = {"", now}, .end = end};
}

Json bound_claim(const std::string& name, const std::string& volume) {
  return {{"metadata", {{"name", name}, {"namespace", "shop"}, {"creationTimestamp", "2026-05-20T01:00:00Z"}}},
          {"spec", {{"volumeName", volume}}},
          {"status", {{"phase", "Bound"}}}};
}

Json pod_volume_restore() {
  return yaml(R"(
metadata: {name: back-1, annotations: {velero.io/pvc-name: files}}
spec: {pod: {namespace: shop, name: db-0}, volume: data, snapshotID: c0ff, uploaderType: restic}
status:
  phase: Completed
  progress: {bytesDone: 1048576, totalBytes: 1048576}
  startTimestamp: "2026-05-20T01:00:03Z"
  completionTimestamp: "2026-05-20T01:00:07Z"
)");
}

RestoredNative native() {
  RestoredNative one;
  one.original = "pv-disk";
  one.claim = {"shop", "disk"};
  one.snapshot = {.handle = "snap-1",
                  .volume_type = "gp3",
                  .zone = "eu-1a",
                  .iops = "100",
                  .phase = {},
                  .progress_resource = "snap-1-r",
                  .progress = Bytes{.done = 5, .total = 5}};
  one.result = result::kSucceeded;
  one.started = "2026-05-20T01:00:03Z";
  one.completed = "2026-05-20T01:00:09Z";
  return one;
}

Json snapshot() {
  return yaml(R"(
metadata:
  name: vs-1
  namespace: shop
  labels: {velero.io/restore-name: back}
  annotations: {velero.io/csi-volumesnapshot-handle: snap-01a3, velero.io/csi-driver-name: ebs.csi.aws.com}
spec: {source: {volumeSnapshotContentName: vsc-1}}
status: {restoreSize: 2Gi}
)");
}

Json claim_of_snapshot() {
  Json one = bound_claim("csi", "pvc-csi");
  one["spec"]["dataSource"] = {{"apiGroup", "snapshot.storage.k8s.io"}, {"kind", "VolumeSnapshot"}, {"name", "vs-1"}};
  return one;
}

Json data_download() {
  return yaml(R"(
metadata: {name: back-2, namespace: velero, labels: {velero.io/async-operation-id: dd-1}}
spec: {targetVolume: {namespace: shop, pvc: moved, pv: ""}, snapshotID: k-1, datamover: ""}
status:
  phase: Completed
  progress: {bytesDone: 7, totalBytes: 7}
  startTimestamp: "2026-05-20T01:00:03Z"
  completionTimestamp: "2026-05-20T01:00:05Z"
)");
}

struct Fixture {
  explicit Fixture(TestListServer::Lists lists, std::set<std::string> refused = {})
      : server(std::move(lists), std::move(refused)),
        tracker(server.client(), clock, {.name_space = "velero", .restore = "back", .uid = "r-1", .wish = {}},
                Logger()) {}

  Json rows(const Json& infos = Json::array()) {
    account = tracker.generate(BackedUpClaims(&infos, nullptr), {});
    Json all = Json::array();
    for (const RestoredVolume& row : account.rows) all.push_back(to_json(row));
    return all;
  }

  ManualClock clock{parse_rfc3339("2026-05-20T02:00:00Z").value()};
  TestListServer server;
  RestoreVolumeInfoTracker tracker;
  RestoreVolumeInfoTracker::Account account;
};

TestListServer::Lists all_lists() {
  return {{kClaims,
           {bound_claim("files", "pvc-files"), bound_claim("disk", "pv-disk-2"), claim_of_snapshot(),
            bound_claim("moved", "pvc-moved"), bound_claim("stranger", "pv-x")}},
          {kSnapshots, {snapshot()}},
          {kDownloads, {data_download()}}};
}

void feed(RestoreVolumeInfoTracker& tracker) {
  tracker.handled({claim("files"), claim("disk"), claim("csi"), claim("moved")}, {volume("pv-disk", "pv-disk-2")});
  tracker.pod_volume_restore(pod_volume_restore());
  tracker.restored_from_snapshot(native());
}

Json expected_rows() {
  return yaml(R"(
- pvcName: csi
  pvcNamespace: shop
  pvName: pvc-csi
  restoreMethod: CSISnapshot
  snapshotDataMoved: false
  csiSnapshotInfo: {snapshotHandle: snap-01a3, size: 2147483648, driver: ebs.csi.aws.com, vscName: vsc-1, ReadyToUse: null}
  result: succeeded
  bytesRestored: 2147483648
  startTimestamp: "2026-05-20T01:00:00Z"
  completionTimestamp: "2026-05-20T02:00:00Z"
- pvcName: disk
  pvcNamespace: shop
  pvName: pv-disk-2
  restoreMethod: NativeSnapshot
  snapshotDataMoved: false
  nativeSnapshotInfo:
    {snapshotHandle: snap-1, volumeType: gp3, volumeAZ: eu-1a, iops: "100", Phase: "", progressResource: snap-1-r,
     progress: {bytesDone: 5, totalBytes: 5}}
  result: succeeded
  bytesRestored: 5
  startTimestamp: "2026-05-20T01:00:03Z"
  completionTimestamp: "2026-05-20T01:00:09Z"
- pvcName: files
  pvcNamespace: shop
  pvName: pvc-files
  restoreMethod: PodVolumeRestore
  snapshotDataMoved: false
  pvrInfo:
    {snapshotHandle: c0ff, size: 1048576, uploaderType: restic, volumeName: data, podName: db-0, podNamespace: shop, Phase: ""}
  result: succeeded
  bytesRestored: 1048576
  startTimestamp: "2026-05-20T01:00:03Z"
  completionTimestamp: "2026-05-20T01:00:07Z"
- pvcName: moved
  pvcNamespace: shop
  pvName: pvc-moved
  restoreMethod: CSISnapshot
  snapshotDataMoved: true
  snapshotDataMovementInfo:
    {dataMover: velero, uploaderType: kopia, snapshotHandle: k-1, operationID: dd-1, size: 7, Phase: ""}
  result: succeeded
  bytesRestored: 7
  startTimestamp: "2026-05-20T01:00:03Z"
  completionTimestamp: "2026-05-20T01:00:05Z"
)");
}

TEST(RestoreVolumeInfoTracker, HasARowForEachMethod) {
  Fixture fixture(all_lists());
  feed(fixture.tracker);
  EXPECT_EQ(fixture.rows(), expected_rows());
  EXPECT_THAT(fixture.account.missing, IsEmpty());
}

TEST(RestoreVolumeInfoTracker, ReadsListsAndNoSingleObjects) {
  TestListServer::Lists lists;
  std::vector<HandledObject> handled;
  for (int i = 0; i < 1000; ++i) {
    const std::string space = "ns-" + std::to_string(i % 40);
    const std::string name = "data-" + std::to_string(i);
    Json one = claim_of_snapshot();
    one["metadata"]["name"] = name;
    one["metadata"]["namespace"] = space;
    lists["/api/v1/persistentvolumeclaims"].push_back(one);
    Json made = snapshot();
    made["metadata"]["namespace"] = space;
    lists["/apis/snapshot.storage.k8s.io/v1/volumesnapshots"].push_back(made);
    handled.push_back({.original = {space, name}, .now = {space, name}});
  }
  lists[kDownloads] = {};
  Fixture fixture(std::move(lists));
  fixture.tracker.handled(std::move(handled), {});
  EXPECT_THAT(fixture.rows(), SizeIs(1000));
  for (const RestoredVolume& row : fixture.account.rows) ASSERT_EQ(row.result, result::kSucceeded);
  EXPECT_LE(fixture.server.requests().size(), 20U);
}

TEST(RestoreVolumeInfoTracker, AsksNothingWhereThereAreNoVolumes) {
  Fixture fixture({});
  EXPECT_EQ(fixture.rows(), Json::array());
  EXPECT_THAT(fixture.server.requests(), IsEmpty());
}

TEST(RestoreVolumeInfoTracker, HasTheOtherRowsWhenListsCannotBeRead) {
  for (const std::string& refused : {kClaims, kSnapshots, kDownloads}) {
    SCOPED_TRACE(refused);
    Fixture fixture(all_lists(), {refused});
    feed(fixture.tracker);
    const Json infos = yaml(R"(
- {pvcName: csi, pvcNamespace: shop, pvName: pv-csi, backupMethod: CSISnapshot}
- {pvcName: moved, pvcNamespace: shop, pvName: pv-moved, backupMethod: CSISnapshot, snapshotDataMoved: true}
)");
    const Json rows = fixture.rows(infos);
    ASSERT_THAT(rows, SizeIs(4));
    // What cannot be read is not taken for data that is missing.
    EXPECT_THAT(fixture.account.missing, IsEmpty());
    EXPECT_EQ(rows[2]["result"], "succeeded");
    EXPECT_EQ(rows[2]["pvrInfo"]["podName"], "db-0");
    EXPECT_EQ(rows[1]["nativeSnapshotInfo"]["snapshotHandle"], "snap-1");
    // Of which nobody can say anything nothing is said.
    EXPECT_EQ(rows[0].contains("result"), refused == kDownloads);
    EXPECT_EQ(rows[3].contains("result"), refused != kDownloads);
    EXPECT_THAT(rows[refused == kDownloads ? 3 : 0]["message"], HasSubstr("nobody knows"));
    EXPECT_EQ(rows[1]["pvName"], "pv-disk-2");
  }
}

TEST(RestoreVolumeInfoTracker, FollowsNamesThatWereChanged) {
  Json live = bound_claim("renamed", "pv-1");
  live["metadata"]["namespace"] = "copy";
  Fixture fixture(TestListServer::Lists{{"/api/v1/namespaces/copy/persistentvolumeclaims", {live}}, {kDownloads, {}}});
  fixture.tracker.handled({{.original = {"shop", "data"}, .now = {"copy", "renamed"}}}, {});
  const Json infos =
      yaml("[{pvcName: data, pvcNamespace: shop, pvName: pv-1, skipped: true, skippedReason: opted out;}]");
  const Json rows = fixture.rows(infos);
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows[0]["pvcName"], "renamed");
  EXPECT_EQ(rows[0]["pvcNamespace"], "copy");
  EXPECT_EQ(rows[0]["pvName"], "pv-1");
  EXPECT_EQ(rows[0]["result"], "skipped");
  EXPECT_THAT(rows[0]["message"], HasSubstr("opted out"));
}

TEST(RestoreVolumeInfoTracker, TellsWhoseVolumeARenamedSnapshotBecame) {
  // The claim that is bound to it counts, not the name that the old volume had.
  Fixture fixture(TestListServer::Lists{{kClaims, {bound_claim("disk-2", "pv-disk-2")}}, {kDownloads, {}}});
  fixture.tracker.handled({claim("disk-2")}, {volume("pv-disk", "pv-disk-2")});
  fixture.tracker.restored_from_snapshot(native());
  const Json rows = fixture.rows();
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows[0]["pvcName"], "disk-2");
  EXPECT_EQ(rows[0]["pvName"], "pv-disk-2");
}

TEST(RestoreVolumeInfoTracker, SaysWhichClaimsHaveNotGotTheirData) {
  Fixture fixture(
      TestListServer::Lists{{kClaims, {bound_claim("files", "pvc-1"), bound_claim("csi", "pvc-2")}}, {kDownloads, {}}});
  fixture.tracker.handled({claim("files"), claim("csi"), claim("old", End::kFound)}, {});
  const Json infos = yaml(R"(
- {pvcName: files, pvcNamespace: shop, backupMethod: PodVolumeBackup, result: succeeded, pvbInfo: {snapshotHandle: x}}
- {pvcName: csi, pvcNamespace: shop, backupMethod: CSISnapshot, result: succeeded}
- {pvcName: old, pvcNamespace: shop, backupMethod: NativeSnapshot, result: succeeded}
)");
  const Json rows = fixture.rows(infos);
  ASSERT_THAT(rows, SizeIs(3));
  EXPECT_EQ(rows[0]["result"], "failed");
  EXPECT_THAT(rows[0]["message"], HasSubstr("EnableCSI"));
  EXPECT_FALSE(rows[0].contains("restoreMethod"));
  EXPECT_EQ(rows[1]["result"], "failed");
  EXPECT_THAT(rows[1]["message"], HasSubstr("nothing has brought them"));
  EXPECT_EQ(rows[2]["result"], "skipped");
  ASSERT_THAT(fixture.account.missing, SizeIs(3));
  EXPECT_TRUE(fixture.account.missing[0].is_error);
  EXPECT_THAT(fixture.account.missing[0].text, HasSubstr("persistentvolumeclaims shop/files: "));
  EXPECT_EQ(fixture.account.missing[0].name_space, "shop");
  EXPECT_FALSE(fixture.account.missing[2].is_error);
}

TEST(RestoreVolumeInfoTracker, KnowsClaimsByTheirUidsToo) {
  Json live = bound_claim("files", "pvc-files");
  live["metadata"]["uid"] = "u-1";
  Fixture fixture(TestListServer::Lists{{kClaims, {live}}, {kDownloads, {}}});
  Json unnamed = pod_volume_restore();
  unnamed["metadata"] = {{"name", "back-1"}, {"labels", {{"velero.io/pvc-uid", "u-1"}}}};
  fixture.tracker.handled({claim("files")}, {});
  fixture.tracker.pod_volume_restore(unnamed);
  const Json rows = fixture.rows();
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows[0]["pvcName"], "files");
  EXPECT_EQ(rows[0]["result"], "succeeded");
}

TEST(RestoreVolumeInfoTracker, SaysWhatTheBackupLacks) {
  Fixture fixture(all_lists());
  feed(fixture.tracker);
  const Json infos = yaml(
      "[{pvcName: files, pvcNamespace: shop, backupMethod: PodVolumeBackup, result: failed,"
      " pvbInfo: {snapshotHandle: c0ff}}]");
  const Json rows = fixture.rows(infos);
  EXPECT_EQ(rows[2]["result"], "succeeded");
  EXPECT_EQ(rows[2]["message"], "the backup does not have all of its data");
}

TEST(RestoreVolumeInfoTracker, HasNothingUnderWayAfterACancel) {
  Fixture fixture(all_lists());
  Json moving = pod_volume_restore();
  moving["status"] = {{"phase", "InProgress"}, {"progress", {{"bytesDone", 3}}}};
  fixture.tracker.handled({claim("files")}, {});
  fixture.tracker.pod_volume_restore(moving);
  fixture.tracker.cut_off();
  const Json rows = fixture.rows();
  EXPECT_EQ(rows[0]["pvcName"], "files");
  EXPECT_EQ(rows[0]["result"], "failed");
  EXPECT_EQ(rows[0]["bytesRestored"], 3);
}

TEST(RestoreVolumeInfoTracker, KnowsWhatCameBeforeACancel) {
  Fixture fixture(all_lists());
  feed(fixture.tracker);
  fixture.tracker.cut_off();
  for (const Json& row : fixture.rows()) EXPECT_EQ(row["result"], "succeeded") << row;
}

TEST(RestoreVolumeInfoTracker, EndsWhatNobodyHasEnded) {
  Fixture fixture(all_lists());
  Json late = pod_volume_restore();
  late["status"] = {{"phase", "New"}};
  fixture.tracker.handled({claim("files")}, {});
  fixture.tracker.pod_volume_restore(late);
  late["metadata"].erase("annotations");
  fixture.tracker.pod_volume_restore(late);
  const Json rows = fixture.rows();
  ASSERT_THAT(rows, SizeIs(3));
  EXPECT_EQ(rows[0]["pvcName"], "files");
  EXPECT_EQ(rows[0]["result"], "failed");
  EXPECT_EQ(rows[0]["message"], "it did not end in time");
  EXPECT_EQ(rows[2]["result"], "failed");
}

TEST(RestoreVolumeInfoTracker, DoesNotTakeAnOldSourceOfAClaimForItsData) {
  Json old = snapshot();
  old["metadata"].erase("labels");
  Fixture fixture(TestListServer::Lists{{kClaims, {claim_of_snapshot()}}, {kSnapshots, {old}}, {kDownloads, {}}});
  fixture.tracker.handled({claim("csi")}, {});
  const Json infos = yaml("[{pvcName: csi, pvcNamespace: shop, backupMethod: CSISnapshot, result: succeeded}]");
  const Json rows = fixture.rows(infos);
  EXPECT_EQ(rows[0]["result"], "failed");
  EXPECT_THAT(fixture.account.missing, SizeIs(1));
}

TEST(RestoreVolumeInfoTracker, SaysThatASnapshotIsNotThere) {
  Json waiting = claim_of_snapshot();
  waiting["status"]["phase"] = "Pending";
  Fixture fixture(TestListServer::Lists{{kClaims, {waiting}}, {kSnapshots, {}}, {kDownloads, {}}});
  fixture.tracker.handled({claim("csi")}, {});
  const Json infos = yaml("[{pvcName: csi, pvcNamespace: shop, backupMethod: CSISnapshot, result: succeeded}]");
  const Json rows = fixture.rows(infos);
  EXPECT_EQ(rows[0]["result"], "failed");
  EXPECT_THAT(rows[0]["message"], HasSubstr("vs-1, which is not there"));
  EXPECT_TRUE(rows[0].contains("csiSnapshotInfo")) << "Velero's command line fails without";
  EXPECT_THAT(fixture.account.missing, SizeIs(1));
}

TEST(RestoreVolumeInfoTracker, WarnsOfAClaimThatIsBoundToTheVolumeThatItHad) {
  const Json infos =
      yaml("[{pvcName: disk, pvcNamespace: shop, pvName: pv-disk, backupMethod: NativeSnapshot, result: succeeded}]");
  const auto end_of = [&](const std::string& bound_to) {
    Fixture fixture(TestListServer::Lists{{kClaims, {bound_claim("disk", bound_to)}}, {kDownloads, {}}});
    fixture.tracker.handled({claim("disk")}, {});
    Json rows = fixture.rows(infos);
    EXPECT_THAT(fixture.account.missing, SizeIs(1));
    return std::pair(rows[0]["result"].get<std::string>(), fixture.account.missing.at(0).is_error);
  };
  EXPECT_EQ(end_of("pv-disk"), std::pair(std::string("skipped"), false));
  EXPECT_EQ(end_of("pv-new"), std::pair(std::string("failed"), true));
}

TEST(RestoreVolumeInfoTracker, LeavesItToAnOperationThatIsAboutTheClaim) {
  Fixture fixture(TestListServer::Lists{{kClaims, {bound_claim("csi", "pv-1")}}, {kDownloads, {}}});
  fixture.tracker.handled({claim("csi")}, {});
  fixture.tracker.operation_on({"shop", "csi"}, "example.com/filler");
  const Json infos = yaml("[{pvcName: csi, pvcNamespace: shop, backupMethod: CSISnapshot, result: succeeded}]");
  const Json rows = fixture.rows(infos);
  EXPECT_EQ(rows[0]["result"], "inProgress");
  EXPECT_THAT(rows[0]["message"], HasSubstr("example.com/filler"));
  EXPECT_THAT(fixture.account.missing, IsEmpty());
}

TEST(RestoreVolumeInfoTracker, FindsTheClaimOfAVolumeInTheBackupWhenItCannotBeRead) {
  Fixture fixture(all_lists(), {kClaims});
  RestoredNative loose = native();
  loose.claim = {};
  fixture.tracker.handled({claim("disk")}, {volume("pv-disk", "pv-disk-2")});
  fixture.tracker.restored_from_snapshot(loose);
  const Json infos = yaml("[{pvcName: disk, pvcNamespace: shop, pvName: pv-disk, backupMethod: NativeSnapshot}]");
  const Json rows = fixture.rows(infos);
  EXPECT_EQ(rows[0]["pvcName"], "disk");
  EXPECT_EQ(rows[0]["result"], "succeeded");
  EXPECT_THAT(fixture.account.missing, IsEmpty());
}

TEST(RestoreVolumeInfoTracker, PassesOverDownloadsOfAnEarlierRestoreOfThatName) {
  Json old = data_download();
  old["metadata"]["labels"]["velero.io/restore-uid"] = "r-0";
  Fixture fixture(TestListServer::Lists{{kClaims, {bound_claim("moved", "pv-1")}}, {kDownloads, {old}}});
  fixture.tracker.handled({claim("moved")}, {});
  EXPECT_EQ(fixture.rows()[0]["result"], "skipped");
}

TEST(RestoreVolumeInfoTracker, KeepsVolumesWithoutAClaim) {
  Fixture fixture({});
  Json scratch = pod_volume_restore();
  scratch["metadata"].erase("annotations");
  fixture.tracker.pod_volume_restore(scratch);
  RestoredNative loose = native();
  loose.claim = {};
  fixture.tracker.restored_from_snapshot(loose);
  const Json rows = fixture.rows();
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_EQ(rows[0]["pvrInfo"]["volumeName"], "data");
  EXPECT_FALSE(rows[0].contains("pvcName"));
  EXPECT_EQ(rows[1]["pvName"], "pv-disk");
}

}  // namespace
}  // namespace landfall::volume_info
