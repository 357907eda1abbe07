#include "control/snapshot_records.h"

#include <gtest/gtest.h>

#include "base/rfc3339.h"
#include "json/yaml.h"

namespace landfall::control {
namespace {

using json::Json;

Json yaml(const std::string& text) { return json::parse_yaml(text).value(); }

Json with_affinity(const std::string& expressions) {
  return yaml("{spec: {nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: " + expressions + "}]}}}}");
}

TEST(ZoneOfAVolume, IsWhatVeleroFinds) {
  EXPECT_EQ(zone_of(Json::object()), "");
  EXPECT_EQ(zone_of(yaml("{metadata: {labels: {failure-domain.beta.kubernetes.io/zone: old, "
                         "topology.kubernetes.io/zone: new}}}")),
            "new");
  EXPECT_EQ(zone_of(yaml("{metadata: {labels: {failure-domain.beta.kubernetes.io/zone: old}}}")), "old");
  EXPECT_EQ(zone_of(with_affinity("[{key: other, operator: In, values: [x]}, "
                                  "{key: topology.ebs.csi.aws.com/zone, operator: In, values: [a, b]}]")),
            "a");
  EXPECT_EQ(zone_of(with_affinity("[{key: topology.kubernetes.io/zone, operator: NotIn, values: [a]}]")), "");
}

TEST(ZoneOfAVolume, OfARegionalDiskIsAllOfThem) {
  EXPECT_EQ(zone_of(yaml("{spec: {nodeAffinity: {required: {nodeSelectorTerms: ["
                         "{matchExpressions: [{key: topology.gke.io/zone, operator: In, values: [a]}]}, "
                         "{matchExpressions: [{key: topology.gke.io/zone, operator: In, values: [b]}]}]}}}}")),
            "a__b");
}

TEST(SnapshotRecord, LeavesOutWhatIsEmpty) {
  const Json record = snapshot_record(yaml("{metadata: {name: b, uid: u}}"), yaml("{metadata: {name: pv}}"),
                                      {.location = "l", .volume_id = "v", .zone = "", .traits = {}, .snapshot = ""});
  EXPECT_EQ(record, yaml("{spec: {backupName: b, backupUID: u, location: l, persistentVolumeName: pv, "
                         "providerVolumeID: v, volumeType: ''}, status: {phase: Failed}}"));
  EXPECT_FALSE(is_completed(record));
  EXPECT_FALSE(facts_of(record).traits.iops);
}

Json native_rows() {
  Json rows = yaml("[{pvName: pv-1, skipped: true, skippedReason: r, later: 1}]");
  const SnapshotFacts facts{
      .location = "l", .volume_id = "v", .zone = "z1", .traits = {.type = "fast", .iops = 300}, .snapshot = "snap-1"};
  const Json volume = yaml(
      "{metadata: {name: pv-1}, spec: {persistentVolumeReclaimPolicy: Delete, "
      "claimRef: {namespace: shop, name: data}}}");
  add_snapshots(rows, {{.record = snapshot_record(yaml("{metadata: {name: b}}"), volume, facts),
                        .volume = volume,
                        .started = parse_rfc3339("2026-05-20T01:00:03Z").value()}});
  return rows;
}

TEST(NativeRow, IsVeleros) {
  EXPECT_EQ(native_rows(), Json::parse(R"([{
    "pvcName": "data",
    "pvcNamespace": "shop",
    "pvName": "pv-1",
    "backupMethod": "NativeSnapshot",
    "snapshotDataMoved": false,
    "preserveLocalSnapshot": false,
    "skipped": false,
    "startTimestamp": "2026-05-20T01:00:03Z",
    "result": "succeeded",
    "nativeSnapshotInfo": {
      "snapshotHandle": "snap-1",
      "volumeType": "fast",
      "volumeAZ": "z1",
      "iops": "300",
      "Phase": "Completed"
    },
    "pvInfo": {"reclaimPolicy": "Delete", "labels": null}
  }])"));
}

TEST(NativeRow, KeepsWhatIsNotKnownWhenItsSnapshotEnds) {
  Json rows = native_rows();
  rows[0]["later"] = 1;
  rows[0]["nativeSnapshotInfo"]["later"] = 2;
  Json expected = rows;
  Json record = yaml("{spec: {persistentVolumeName: pv-1}, status: {phase: Failed}}");
  set_row_result(rows, record, parse_rfc3339("2026-05-20T01:00:09Z").value());
  expected[0]["result"] = "failed";
  expected[0]["completionTimestamp"] = "2026-05-20T01:00:09Z";
  expected[0]["nativeSnapshotInfo"]["Phase"] = "Failed";
  EXPECT_EQ(rows, expected);
}

TEST(NativeRow, OfAnotherShapeIsLeftAlone) {
  const Json record = yaml("{spec: {persistentVolumeName: pv-1}, status: {phase: Failed}}");
  for (const char* text : {"{}", "[1, {pvName: pv-1, backupMethod: NativeSnapshot, nativeSnapshotInfo: 7}]",
                           "[{pvName: pv-1, backupMethod: CSISnapshot, nativeSnapshotInfo: {}}]", "[{pvName: 1}]"}) {
    Json rows = yaml(text);
    set_row_result(rows, record, WallTime());
    EXPECT_EQ(rows, yaml(text));
  }
}

}  // namespace
}  // namespace landfall::control
