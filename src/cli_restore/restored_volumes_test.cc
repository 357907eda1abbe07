#include "cli_restore/restored_volumes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/manual_clock.h"
#include "base/rfc3339.h"
#include "base/strings.h"
#include "cli_restore/restored_volumes_text.h"
#include "json/json.h"
#include "json/yaml.h"

namespace landfall::cli {
namespace {

using json::Json;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

const WallTime kNow = parse_rfc3339("2026-11-16T10:00:00Z").value();

class RestoredVolumesTest : public testing::Test {
 protected:
  static DescribedFile file(const Json& document) {
    return {.is_wanted = true, .document = std::make_shared<const Json>(document)};
  }
  // Rows in YAML.
  void rows(const std::string& text) { what_.volume_infos = file(json::parse_yaml(text).value()); }
  void pod_volume(const std::string& volume, const std::string& status) {
    what_.pod_volume_restores.push_back(
        json::parse_yaml("{kind: PodVolumeRestore, spec: {pod: {namespace: shop, name: web-0}, volume: " + volume +
                         "}, status: " + status + "}")
            .value());
  }
  void plugin_volume(const std::string& name, const std::string& status) {
    what_.volume_plugin_restores.push_back(json::parse_yaml("{kind: VolumePluginRestore, metadata: {name: " + name +
                                                            ", labels: {velero.io/pv-name: pv-of-" + name +
                                                            "}}, spec: {snapshotID: s1}, status: " + status + "}")
                                               .value());
  }
  std::vector<std::string> texts() {
    std::vector<std::string> texts;
    for (const VolumeEntry& entry : read_restored_volumes(what_).entries) {
      texts.push_back(volume_entry_text(entry, kNow));
    }
    return texts;
  }
  // Of one row of a claim shop/c.
  std::string text(const std::string& more) {
    rows("[{pvcNamespace: shop, pvcName: c, " + more + "}]");
    return texts().front();
  }
  VolumeState state(const std::string& more) {
    rows("[{pvcNamespace: shop, pvcName: c, " + more + "}]");
    return read_restored_volumes(what_).entries.front().state;
  }
  std::string part(bool details) {
    what_.details = details;
    return restored_volumes_part(what_, kNow);
  }
  std::string describe(const std::string& program) {
    const Context context{.program = program, .clock = clock_, .in = in_, .out = out_, .err = out_};
    return describe_restore(what_, context);
  }
  Json document() { return Json::parse(describe_restore_as_json(what_)); }

  ManualClock clock_;
  io::StringReader in_{""};
  io::StringWriter out_;
  Json restore_ = {{"metadata", {{"name", "r"}}},
                   {"spec", {{"backupName", "b"}}},
                   {"status", {{"phase", "Completed"}, {"startTimestamp", "2026-11-16T09:00:00Z"}}}};
  RestoreDescription what_{.restore = restore_};
};

TEST_F(RestoredVolumesTest, AreNamedWithTheMethodInWords) {
  EXPECT_EQ(text("pvName: pv-1, restoreMethod: NativeSnapshot, result: succeeded, nativeSnapshotInfo: "
                 "{snapshotHandle: snap-1}, bytesRestored: 2048, startTimestamp: '2026-11-16T09:00:00Z', "
                 "completionTimestamp: '2026-11-16T09:01:20Z'"),
            "shop/c (pv-1): native snapshot snap-1, 2.0 KiB in 1m20s");
  EXPECT_EQ(text("restoreMethod: CSISnapshot, result: succeeded, csiSnapshotInfo: {snapshotHandle: h, driver: d.io}"),
            "shop/c: CSI snapshot h (d.io)");
  EXPECT_EQ(text("restoreMethod: CSISnapshot, snapshotDataMoved: true, result: succeeded, bytesRestored: 7, "
                 "snapshotDataMovementInfo: {dataMover: velero, uploaderType: kopia}"),
            "shop/c: data movement (velero, kopia), 7 B");
  EXPECT_EQ(text("restoreMethod: PodVolumeRestore, result: failed, message: full, pvrInfo: "
                 "{podNamespace: shop, podName: web-0, volumeName: data, uploaderType: restic}, "
                 "startTimestamp: '2026-11-16T09:00:00Z', completionTimestamp: '2026-11-16T09:00:03Z'"),
            "shop/c: files of pod shop/web-0, volume data (restic), after 3s, full");
  EXPECT_EQ(text("result: skipped, message: there was none"), "shop/c: there was none");
  EXPECT_EQ(text("restoreMethod: NativeSnapshot, result: inProgress, nativeSnapshotInfo: {snapshotHandle: s, "
                 "progress: {bytesDone: 1024, totalBytes: 4096}}"),
            "shop/c: native snapshot s, 1.0 KiB of 4.0 KiB (25 %)");
}

TEST_F(RestoredVolumesTest, AreInTheStateThatTheRowSays) {
  EXPECT_EQ(state("result: succeeded"), VolumeState::kRestored);
  EXPECT_EQ(state("result: failed"), VolumeState::kFailed);
  EXPECT_EQ(state("result: skipped"), VolumeState::kWithoutData);
  EXPECT_EQ(state("result: inProgress"), VolumeState::kUnderWay);
  EXPECT_EQ(state("restoreMethod: NativeSnapshot"), VolumeState::kUnknown);
  EXPECT_EQ(state("result: pondering"), VolumeState::kUnknown);
  EXPECT_EQ(text("result: pondering"), "shop/c: pondering");
}

TEST_F(RestoredVolumesTest, LiveWithOddRows) {
  rows(R"([7, null, text, [], {}, {pvcName: 5, pvName: [], restoreMethod: {}, result: 1, bytesRestored: many},
           {pvName: pv-1, restoreMethod: Teleport, result: succeeded, bytesRestored: -5, startTimestamp: noon,
            completionTimestamp: '2026-11-16T09:01:20Z'},
           {pvcName: c, restoreMethod: CSISnapshot, csiSnapshotInfo: none, result: succeeded,
            startTimestamp: '2026-11-16T09:01:20Z', completionTimestamp: '2026-11-16T09:00:00Z'},
           {restoreMethod: PodVolumeRestore, pvrInfo: {}}, {pvcName: d, restoreMethod: NativeSnapshot, result: inProgress,
            nativeSnapshotInfo: {progress: {bytesDone: 3, totalBytes: -1}}},
           {pvcNamespace: "a\e[2J", pvcName: "x\ty", result: failed, message: "line\nline\e[31m"}])");
  EXPECT_THAT(texts(), ElementsAre("a volume without a name", "a volume without a name",
                                   "a volume without a claim: files of pod /, volume", "pv-1: Teleport",
                                   "c: CSI snapshot", "d: native snapshot", testing::_));
  for (const bool details : {false, true}) {
    EXPECT_THAT(part(details), Not(HasSubstr("\x1b")));
    EXPECT_THAT(part(details), Not(HasSubstr("x\ty")));
    EXPECT_THAT(part(details), Not(HasSubstr("line\nline")));
  }
  rows("[{result: succeeded, bytesRestored: 9223372036854775807}, {result: succeeded, bytesRestored: 1}]");
  EXPECT_EQ(read_restored_volumes(what_).bytes()->count(), INT64_MAX);
}

TEST_F(RestoredVolumesTest, AreCountedAndWithDetailsListedByWhatBecameOfThem) {
  rows(R"([{pvcNamespace: shop, pvcName: b, result: succeeded, bytesRestored: 1024},
           {pvcNamespace: shop, pvcName: a, result: succeeded, bytesRestored: 1024},
           {pvcNamespace: shop, pvcName: c, result: failed, message: full},
           {pvcNamespace: shop, pvcName: d, result: skipped, message: none in the backup},
           {pvcNamespace: shop, pvcName: e, restoreMethod: PodVolumeRestore},
           {pvcNamespace: shop, pvcName: f, result: inProgress}])");
  EXPECT_EQ(part(false),
            "\nVolumes:\t2 restored (2.0 KiB), 1 under way, 1 failed, 1 without data, 1 whose result is not "
            "recorded (specify --details for more information)\n"
            "\nVolumes under way:\n\tshop/f\n"
            "\nVolumes that failed:\n\tshop/c: full\n");
  EXPECT_EQ(part(true),
            "\nVolumes:\n"
            "\tRestored:\n\t\tshop/a: 1.0 KiB\n\t\tshop/b: 1.0 KiB\n"
            "\tUnder way:\n\t\tshop/f\n"
            "\tFailed:\n\t\tshop/c: full\n"
            "\tWithout data:\n\t\tshop/d: none in the backup\n"
            "\tResult not recorded:\n\t\tshop/e: files of a pod's volume\n");
}

constexpr const char* kFiles =
    "restoreMethod: PodVolumeRestore, pvrInfo: {podNamespace: shop, podName: web-0, "
    "volumeName: data}";

TEST_F(RestoredVolumesTest, GoByLiveObjectsUntilTheRowIsFinal) {
  const std::string row = kFiles;
  const std::string files = "shop/c: files of pod shop/web-0, volume data";
  pod_volume("data", "{phase: InProgress, progress: {totalBytes: 4096, bytesDone: 1024}}");
  EXPECT_EQ(text(row + ", result: inProgress"), files + ", transferring 1.0 KiB/4.0 KiB (25 %)");
  EXPECT_EQ(text(row), files + ", transferring 1.0 KiB/4.0 KiB (25 %)");
  EXPECT_EQ(text(row + ", result: succeeded, bytesRestored: 1"), files + ", 1 B");
  what_.pod_volume_restores.clear();
  pod_volume("data",
             "{phase: Completed, progress: {totalBytes: 4096, bytesDone: 4096}, startTimestamp: "
             "'2026-11-16T09:00:00Z', completionTimestamp: '2026-11-16T09:00:02Z'}");
  EXPECT_EQ(text(row), files + ", 4.0 KiB in 2s");
  EXPECT_EQ(state(row), VolumeState::kRestored);
  what_.pod_volume_restores.clear();
  pod_volume("data", "{phase: Canceled}");
  EXPECT_EQ(text(row), files + ", canceled");
  EXPECT_EQ(state(row), VolumeState::kFailed);
  what_.pod_volume_restores.clear();
  pod_volume("data", "{}");
  EXPECT_EQ(text(row), files + ", New");
}

TEST_F(RestoredVolumesTest, FindTheObjectOfAPluginByNameOrVolume) {
  plugin_volume("one", "{phase: Failed, message: the disk is full}");
  EXPECT_EQ(text("restoreMethod: NativeSnapshot, result: inProgress, nativeSnapshotInfo: {progressResource: one}"),
            "shop/c: native snapshot, the disk is full");
  EXPECT_EQ(text("pvName: pv-of-one, restoreMethod: NativeSnapshot, nativeSnapshotInfo: {}"),
            "shop/c (pv-of-one): native snapshot, the disk is full");
}

TEST_F(RestoredVolumesTest, StandThereOnceAndThoseWithoutARowAsWell) {
  pod_volume("data", "{phase: Failed, message: full}");
  pod_volume("scratch", "{phase: Failed, message: gone}");
  rows(std::string("[{pvcNamespace: shop, pvcName: c, result: failed, message: full, ") + kFiles + "}]");
  EXPECT_EQ(part(false),
            "\nVolumes:\t2 failed (specify --details for more information)\n"
            "\nVolumes that failed:\n"
            "\tshop/c: files of pod shop/web-0, volume data, full\n"
            "\tshop/web-0, volume scratch: failed, gone\n");
}

TEST_F(RestoredVolumesTest, AreSaidToBeUnknownWhereARestoreHasNoSuchFile) {
  what_.volume_infos = {.is_wanted = true};
  pod_volume("data", "{phase: Failed, message: full}");
  EXPECT_EQ(part(true),
            "\nVolumes:\t<no volume information: this restore has no such file>\n"
            "\nVolumes without data:\n\tshop/web-0, volume data: failed, full\n");
  EXPECT_THAT(describe("velero"), Not(HasSubstr("Volumes")));
  restore_["status"]["phase"] = "InProgress";
  EXPECT_THAT(part(true), Not(HasSubstr("<no volume information")));
}

TEST_F(RestoredVolumesTest, AreShownUnlessCalledAsVelero) {
  rows("[{pvcName: c, result: succeeded}]");
  EXPECT_THAT(describe("landfall"), HasSubstr("\nVolumes:  1 restored (specify --details for more information)\n"));
  EXPECT_THAT(describe("velero"), Not(HasSubstr("Volumes")));
}

TEST_F(RestoredVolumesTest, OfADamagedFileAreAnErrorInTheirPlace) {
  what_.volume_infos = {.is_wanted = true, .error = "it is cut short\x1b[2J"};
  for (const char* const program : {"landfall", "velero"}) {
    EXPECT_THAT(describe(program), HasSubstr("<error getting restore volume info: it is cut short"));
    EXPECT_THAT(describe(program), Not(HasSubstr("\x1b")));
    EXPECT_THAT(describe(program), HasSubstr("Preserve Service NodePorts:"));
  }
  EXPECT_THAT(document()["status"]["restoreVolumes"]["errorGettingVolumeInfo"].get<std::string>(),
              testing::StartsWith("<error getting restore volume information: it is cut short"));
  for (const Json& odd : {Json("a text"), Json(5), Json::object()}) {
    what_.volume_infos = file(odd);
    EXPECT_THAT(describe("landfall"), HasSubstr("<error getting restore volume info: it is no list>"));
    EXPECT_EQ(document()["status"]["restoreVolumes"]["errorGettingVolumeInfo"],
              "<error getting restore volume information: it is no list>");
  }
  what_.volume_infos = file(Json());
  EXPECT_THAT(describe("velero"), HasSubstr("CSI Snapshot Restores: <none included>\n"));
}

TEST_F(RestoredVolumesTest, AreInTheDocumentAsTheyAreStored) {
  const std::string text = "[{pvcName: c, result: succeeded, bytesRestored: 5, fromTheFuture: {x: [1]}}, 7]";
  rows(text);
  Json volumes = document()["status"]["restoreVolumes"];
  EXPECT_EQ(volumes["counts"], Json::parse(R"({"restored": 1, "underWay": 0, "failed": 0, "withoutData": 0,
                                               "notRecorded": 0, "bytesRestored": 5})"));
  EXPECT_EQ(volumes["volumeInfo"], "specify --details for more information");
  what_.details = true;
  EXPECT_EQ(document()["status"]["restoreVolumes"]["volumeInfo"], json::parse_yaml(text).value());
  what_.volume_infos = {.is_wanted = true};
  EXPECT_EQ(document()["status"]["restoreVolumes"],
            Json({{"errorGettingVolumeInfo", "<restore volume information not found>"}}));
}

TEST_F(RestoredVolumesTest, StandInADocumentLikeThatOfABackup) {
  restore_ =
      json::parse_yaml(R"({metadata: {name: r, namespace: velero}, spec: {backupName: b, includedNamespaces: [shop],
    namespaceMapping: {shop: copy}, resourceModifier: {kind: ConfigMap, name: changes}, restorePVs: true},
    status: {phase: Failed, failureReason: gone, startTimestamp: '2026-11-16T09:00:00Z', errors: 1,
             validationErrors: [wrong], progress: {totalItems: 3, itemsRestored: 2},
             hookStatus: {hooksAttempted: 2, hooksFailed: 1}}})")
          .value();
  what_.results = file(json::parse_yaml("{errors: {cluster: [x]}}").value());
  pod_volume("data", "{phase: Completed}");
  EXPECT_EQ(document(), Json::parse(R"({
    "metadata": {"name": "r", "namespace": "velero", "labels": null, "annotations": null},
    "phase": "Failed",
    "spec": {"backup": "b", "namespaces": {"included": "shop", "excluded": "<none>"},
             "resources": {"included": "*", "excluded": "<none>", "clusterScoped": "auto"},
             "namespaceMappings": {"shop": "copy"}, "labelSelector": "<none>", "orLabelSelector": "<none>",
             "restorePVs": "true", "existingResourcePolicy": "<none>", "itemOperationTimeout": "0s",
             "preserveServiceNodePorts": "auto"},
    "status": {"started": "2026-11-16 09:00:00 +0000 UTC", "completed": "<n/a>", "failureReason": "gone",
               "totalItemsToBeRestored": 3, "itemsRestored": 2, "hooksAttempted": 2, "hooksFailed": 1,
               "restoreVolumes": {"podVolumeRestores": {"uploaderType": "",
                                                        "podVolumeRestoresDetails": {"Completed": 1}}}},
    "resourceModifier": {"type": "ConfigMap", "name": "changes"},
    "validationErrors": ["wrong"],
    "errors": {"velero": [], "cluster": ["x"], "namespace": []}, "warnings": {}})"));
}

}  // namespace
}  // namespace landfall::cli
