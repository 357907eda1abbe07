// What a restore tells of its volumes, from its run to its end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "control/settled_volumes.h"
#include "control/test_backup_runner.h"
#include "control/test_pod_volumes.h"
#include "control/test_restore_runner.h"
#include "control/test_stored_backups.h"
#include "json/yaml.h"

namespace landfall::control {
namespace {

using json::Json;
using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;

Json yaml(std::string_view text) { return json::parse_yaml(text).value(); }

const k8s::GroupVersionResource kClaims{"", "v1", "persistentvolumeclaims"};

// A backup `b1` of namespace shop with a claim `books` whose volume nobody has copied, to be restored as `copy`.
class RestoreVolumes : public ::testing::Test {
 protected:
  RestoreVolumes() {
    cluster_.create_location("default");
    cluster_.create_namespace("shop");
    put_claim(cluster_, "shop", "books");
  }

  void back_up() { TestBackupRunner(cluster_).back_up("b1", {{"includedNamespaces", {"shop"}}}); }
  static Json mapped(Json more = Json::object()) {
    Json spec = {{"backupName", "b1"}, {"namespaceMapping", {{"shop", "copy"}}}};
    spec.update(more);
    return spec;
  }
  // Overwrites what the backup says of its volumes.
  void tell_of_backup(const Json& infos) const {
    const StoredBackups stored(cluster_);
    stored.write_json("backups/b1/b1-volumeinfo.json.gz", infos, bucket::Form::kGzipJson);
    stored.remove("backups/b1/b1-checksums.json");
  }
  Json document(bucket::RestoreArtifact artifact) {
    return TestCluster::must(TestBackupRunner(cluster_).bucket()->backups().read("r1", artifact, {})).value();
  }
  Json rows() { return document(bucket::RestoreArtifact::kVolumeInfos); }
  Json results() { return document(bucket::RestoreArtifact::kResults); }
  static std::string phase(const Json& restore) { return restore["status"].value("phase", ""); }
  // The world does not know the kinds of CSI by itself.
  void serve_snapshots() const {
    cluster_.create({"apiextensions.k8s.io", "v1", "customresourcedefinitions"}, "", yaml(R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: volumesnapshots.snapshot.storage.k8s.io}
spec:
  group: snapshot.storage.k8s.io
  scope: Namespaced
  names: {kind: VolumeSnapshot, plural: volumesnapshots, singular: volumesnapshot, listKind: VolumeSnapshotList}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
)"));
  }
  // A claim that is made of VolumeSnapshot vs-1, which is where it is to be restored.
  void claim_of_snapshot(const std::string& storage_class = "") const {
    serve_snapshots();
    Json claim = yaml(R"(
metadata: {name: csi}
spec:
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 1Gi}}
  dataSource: {apiGroup: snapshot.storage.k8s.io, kind: VolumeSnapshot, name: vs-1}
)");
    if (!storage_class.empty()) claim["spec"]["storageClassName"] = storage_class;
    cluster_.create(kClaims, "shop", claim);
    for (const char* name_space : {"copy", "second"}) {
      cluster_.create_namespace(name_space);
      cluster_.create({"snapshot.storage.k8s.io", "v1", "volumesnapshots"}, name_space, yaml(R"(
apiVersion: snapshot.storage.k8s.io/v1
kind: VolumeSnapshot
metadata:
  name: vs-1
  annotations: {velero.io/csi-volumesnapshot-handle: snap-01a3, velero.io/csi-driver-name: ebs.csi.aws.com}
spec: {source: {volumeSnapshotContentName: vsc-1}}
status: {restoreSize: 2Gi}
)"));
    }
  }
  static Json only_claims() { return mapped({{"includedResources", {"persistentvolumeclaims"}}}); }
  void bind(const std::string& claim) const {
    const kube::Resource claims(cluster_.client(), kClaims, "copy");
    claims.patch(claim, kube::PatchType::kMerge, {{"spec", {{"volumeName", "pv-new"}}}}, {}).value();
    claims.patch(claim, kube::PatchType::kMerge, {{"status", {{"phase", "Bound"}}}}, {}, {.subresource = "status"})
        .value();
  }
  Json download(const std::string& status) const {
    Json object = yaml(R"(
metadata: {name: r1-x, labels: {velero.io/restore-name: r1, velero.io/async-operation-id: dd-1}}
spec:
  targetVolume: {namespace: copy, pvc: books, pv: ""}
  snapshotID: k-1
  datamover: ""
  backupStorageLocation: default
  sourceNamespace: shop
  operationTimeout: 10m
)");
    object["status"] = yaml(status);
    return cluster_.create(api::kDataDownload, object);
  }

  TestCluster cluster_;
};

TEST_F(RestoreVolumes, HaveARowWithTheReasonWhereThereIsNoData) {
  back_up();
  EXPECT_EQ(phase(TestRestoreRunner(cluster_).restore("r1", mapped())), "Completed");
  ASSERT_THAT(rows(), SizeIs(1));
  EXPECT_EQ(rows()[0]["pvcName"], "books");
  EXPECT_EQ(rows()[0]["pvcNamespace"], "copy");
  EXPECT_EQ(rows()[0]["result"], "skipped");
  EXPECT_THAT(rows()[0]["message"].get<std::string>(), HasSubstr("the backup has no data of it: "));
  EXPECT_FALSE(rows()[0].contains("restoreMethod"));
  EXPECT_EQ(rows()[0]["snapshotDataMoved"], false);
}

TEST_F(RestoreVolumes, AreKnownByTheNamesThatModifiersGiveThem) {
  back_up();
  cluster_.create({"", "v1", "configmaps"}, "velero", {{"metadata", {{"name", "changes"}}}, {"data", {{"rules.yaml", R"(
version: v1
resourceModifierRules:
- conditions: {groupResource: persistentvolumeclaims, resourceNameRegex: books}
  patches: [{operation: replace, path: /metadata/name, value: novels}]
)"}}}});
  TestRestoreRunner(cluster_).restore("r1",
                                      mapped({{"resourceModifier", {{"kind", "ConfigMap"}, {"name", "changes"}}}}));
  ASSERT_THAT(rows(), SizeIs(1));
  EXPECT_EQ(rows()[0]["pvcName"], "novels");
  EXPECT_EQ(rows()[0]["pvcNamespace"], "copy");
  EXPECT_THAT(rows()[0]["message"].get<std::string>(), HasSubstr("the backup has no data of it: "))
      << "it is found in the backup by the name that it had there";
}

TEST_F(RestoreVolumes, OfCsiSnapshotsAreFoundByTheirClaims) {
  claim_of_snapshot();
  back_up();
  TestRestoreRunner runner(cluster_);
  runner.create("r1", only_claims());
  TestRestoreRunner::must(runner.run("r1"));
  ASSERT_THAT(rows(), SizeIs(2));
  const Json row = rows()[1];
  EXPECT_EQ(row["pvcName"], "csi");
  EXPECT_EQ(row["restoreMethod"], "CSISnapshot");
  EXPECT_EQ(row["snapshotDataMoved"], false);
  EXPECT_EQ(row["csiSnapshotInfo"], yaml("{snapshotHandle: snap-01a3, size: 2147483648, driver: ebs.csi.aws.com, "
                                         "vscName: vsc-1, ReadyToUse: null}"));
  EXPECT_EQ(row["result"], "inProgress");

  TestRestoreRunner::must(runner.finalize("r1"));
  EXPECT_EQ(phase(cluster_.get(api::kRestore, "r1")), "Finalizing") << "it waits until the claim is bound";
  bind("csi");
  EXPECT_EQ(phase(runner.end("r1")), "Completed");
  EXPECT_EQ(rows()[1]["result"], "succeeded");
  EXPECT_EQ(rows()[1]["bytesRestored"], 2147483648);
}

TEST_F(RestoreVolumes, OfCsiSnapshotsThatAreNotBoundInTimeAreAnError) {
  claim_of_snapshot();
  back_up();
  RestoreSettings settings = TestRestoreRunner::built_in();
  settings.engine.resource_timeout = std::chrono::milliseconds(1);
  const Json ended = TestRestoreRunner(cluster_, settings).restore("r1", only_claims());
  EXPECT_EQ(phase(ended), "PartiallyFailed");
  EXPECT_EQ(ended["status"]["errors"], 1);
  EXPECT_EQ(rows()[1]["result"], "failed");
  EXPECT_THAT(results()["errors"]["namespaces"]["copy"].dump(),
              AllOf(HasSubstr("persistentvolumeclaims copy/csi: "), HasSubstr("not bound in time")));
}

// Nobody can wait for the first pod that uses a claim; a volume that is already being made is waited for.
TEST_F(RestoreVolumes, OfCsiSnapshotsThatWaitForTheirFirstPodAreAWarning) {
  cluster_.create({"storage.k8s.io", "v1", "storageclasses"}, "", yaml(R"(
metadata: {name: late}
provisioner: ebs.csi.aws.com
volumeBindingMode: WaitForFirstConsumer
)"));
  claim_of_snapshot("late");
  back_up();
  const Json ended = TestRestoreRunner(cluster_).restore("r1", only_claims());
  EXPECT_EQ(phase(ended), "Completed");
  EXPECT_EQ(ended["status"]["warnings"], 1);
  EXPECT_EQ(rows()[1]["result"], "inProgress");
  EXPECT_THAT(results()["warnings"]["namespaces"]["copy"].dump(),
              AllOf(HasSubstr("persistentvolumeclaims copy/csi: "), HasSubstr("its data is not there yet")));

  TestRestoreRunner runner(cluster_);
  runner.create(
      "r2", mapped({{"includedResources", {"persistentvolumeclaims"}}, {"namespaceMapping", {{"shop", "second"}}}}));
  TestRestoreRunner::must(runner.run("r2"));
  kube::Resource(cluster_.client(), kClaims, "second")
      .patch("csi", kube::PatchType::kMerge,
             {{"metadata", {{"annotations", {{"volume.kubernetes.io/selected-node", "n1"}}}}}}, {})
      .value();
  TestRestoreRunner::must(runner.finalize("r2"));
  EXPECT_EQ(phase(cluster_.get(api::kRestore, "r2")), "Finalizing");
}

TEST_F(RestoreVolumes, OfDataDownloadsAreFollowedToTheEnd) {
  back_up();
  const Json made = download("{phase: InProgress, progress: {totalBytes: 10, bytesDone: 4}}");
  TestRestoreRunner runner(cluster_);
  runner.create("r1", mapped());
  TestRestoreRunner::must(runner.run("r1"));
  ASSERT_THAT(rows(), SizeIs(1));
  EXPECT_EQ(rows()[0]["restoreMethod"], "CSISnapshot");
  EXPECT_EQ(rows()[0]["snapshotDataMoved"], true);
  EXPECT_EQ(rows()[0]["result"], "inProgress");
  EXPECT_EQ(rows()[0]["bytesRestored"], 4);
  EXPECT_EQ(
      rows()[0]["snapshotDataMovementInfo"],
      yaml("{dataMover: velero, uploaderType: kopia, snapshotHandle: k-1, operationID: dd-1, size: 10, Phase: ''}"));
  patch(cluster_, api::kDataDownload, "r1-x",
        {{"status", {{"phase", "Completed"}, {"progress", {{"bytesDone", 10}}}}}});
  // Another process ends it.
  EXPECT_EQ(phase(TestRestoreRunner(cluster_).end("r1")), "Completed");
  EXPECT_EQ(rows()[0]["result"], "succeeded");
  EXPECT_EQ(rows()[0]["bytesRestored"], 10);
}

TEST_F(RestoreVolumes, ThatFailLateKeepARestoreFromBeingCompleted) {
  back_up();
  download("{phase: InProgress}");
  TestRestoreRunner runner(cluster_);
  runner.create("r1", mapped());
  TestRestoreRunner::must(runner.run("r1"));
  patch(cluster_, api::kDataDownload, "r1-x", {{"status", {{"phase", "Failed"}, {"message", "disk full"}}}});
  EXPECT_EQ(phase(runner.end("r1")), "PartiallyFailed");
  EXPECT_THAT(results()["errors"].dump(), AllOf(HasSubstr("copy/books"), HasSubstr("disk full")));
}

TEST_F(RestoreVolumes, WhoseDataIsInTheBackupAndDoesNotComeAreAnError) {
  back_up();
  const auto told = [&](const char* row) { tell_of_backup(Json::array({yaml(row)})); };
  told(
      "{pvcName: books, pvcNamespace: shop, pvName: pv-books, backupMethod: PodVolumeBackup, result: succeeded,"
      " pvbInfo: {snapshotHandle: x, podName: db-0, podNamespace: shop, volumeName: data}}");
  const Json ended = TestRestoreRunner(cluster_).restore("r1", mapped());
  EXPECT_EQ(phase(ended), "PartiallyFailed");
  EXPECT_EQ(ended["status"]["errors"], 1);
  EXPECT_THAT(results()["errors"]["namespaces"]["copy"].dump(),
              AllOf(HasSubstr("persistentvolumeclaims copy/books: "), HasSubstr("nothing has brought them")));
  EXPECT_EQ(rows()[0]["result"], "failed");
}

TEST_F(RestoreVolumes, ThatWereThereBeforeAreAWarning) {
  back_up();
  tell_of_backup(
      Json::array({yaml("{pvcName: books, pvcNamespace: shop, pvName: pv-books, backupMethod: CSISnapshot,"
                        " result: succeeded, csiSnapshotInfo: {snapshotHandle: x}}")}));
  const Json ended = TestRestoreRunner(cluster_).restore("r1", {{"backupName", "b1"}});
  EXPECT_EQ(phase(ended), "Completed");
  EXPECT_THAT(results()["warnings"]["namespaces"]["shop"].dump(), HasSubstr("it keeps what it holds"));
  EXPECT_EQ(rows()[0]["result"], "skipped");
}

// A plugin that fills the claim says by its operation how that ended.
TEST_F(RestoreVolumes, OfWhichOnlyAnOperationKnowsEndAsIt) {
  const Json row = yaml("{pvcName: books, pvcNamespace: copy, snapshotDataMoved: false, result: inProgress, note: 7}");
  operation::ItemOperation operation;
  operation.action = "example.com/filler";
  operation.item = {.resource = {"", "persistentvolumeclaims"}, .name_space = "copy", .name = "books"};
  const auto settled = [&] {
    Json rows = Json::array({row});
    const Json restore = yaml("{metadata: {name: r1, namespace: velero, uid: u-1}}");
    settle_volume_rows(cluster_.context(), restore, {operation}, rows, Logger(), {});
    return rows[0];
  };
  EXPECT_EQ(settled(), row);
  operation.phase = operation::OperationPhase::kFailed;
  operation.error = "tape torn";
  EXPECT_EQ(settled()["result"], "failed");
  EXPECT_EQ(settled()["message"], "tape torn");
  EXPECT_EQ(settled()["note"], 7);
  operation.phase = operation::OperationPhase::kCompleted;
  operation.error.clear();
  EXPECT_EQ(settled()["result"], "succeeded");
}

}  // namespace
}  // namespace landfall::control
