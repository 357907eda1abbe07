#include "control/csi_backup_infos.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "control/test_backup_runner.h"
#include "control/test_pod_volumes.h"
#include "k8s/object_view.h"
#include "operation/run_log.h"

namespace landfall::control {
namespace {

using bucket::BackupArtifact;
using extension::OperationProgress;
using json::Json;

// A kind of the group of snapshots, as their installation brings it.
Json definition(const std::string& kind, const std::string& plural, const std::string& scope) {
  const Json schema = {{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}};
  return {
      {"apiVersion", "apiextensions.k8s.io/v1"},
      {"kind", "CustomResourceDefinition"},
      {"metadata",
       {{"name", plural + ".snapshot.storage.k8s.io"},
        {"annotations", {{"api-approved.kubernetes.io", "https://example.com"}}}}},
      {"spec",
       {{"group", "snapshot.storage.k8s.io"},
        {"scope", scope},
        {"names", {{"kind", kind}, {"plural", plural}}},
        {"versions",
         Json::array(
             {{{"name", "v1"}, {"served", true}, {"storage", true}, {"schema", {{"openAPIV3Schema", schema}}}}})}}}};
}

const k8s::GroupVersionResource kSnapshots{"snapshot.storage.k8s.io", "v1", "volumesnapshots"};
const k8s::GroupVersionResource kContents{"snapshot.storage.k8s.io", "v1", "volumesnapshotcontents"};

using Answers = Guarded<OperationProgress>;

struct Started {
  std::string id;
  std::vector<k8s::ObjectRef> after;
  std::vector<k8s::ObjectRef> additional = {};
};

// Goes on with one kind of object, as actions for CSI do, but for what is called cache.
class GoesOn final : public extension::BackupItemAction, public extension::Waitable {
 public:
  GoesOn(Answers& answers, std::string resource, Started started)
      : answers_(answers), resource_(std::move(resource)), started_(std::move(started)) {}
  std::string name() const override { return "test/goes-on-" + resource_; }
  extension::ActionScope scope() const override { return {.included_resources = {resource_}}; }
  Result<extension::BackupActionResult> execute(const Json& item, const Json& /*backup*/,
                                                const std::stop_token& /*stop*/) override {
    extension::BackupActionResult result;
    if (k8s::ObjectView(item).name().find("cache") != std::string_view::npos) return result;
    result.operation_id = started_.id;
    result.after_operation = started_.after;
    result.additional = started_.additional;
    result.must_include = !started_.additional.empty();
    return result;
  }
  extension::Waitable* waitable() override { return this; }
  Result<OperationProgress> progress(const std::string& /*operation_id*/, const Json& /*owner*/,
                                     const std::stop_token& /*stop*/) override {
    return answers_.copy();
  }
  Status cancel(const std::string& /*operation_id*/, const Json& /*owner*/, const std::stop_token& /*stop*/) override {
    return {};
  }

 private:
  Answers& answers_;
  const std::string resource_;
  const Started started_;
};

// A namespace `shop` with the claims `books` and `cache`.
class CsiBackup : public ::testing::Test {
 protected:
  CsiBackup() {
    cluster_.create_location("default");
    cluster_.create_namespace("shop");
    put_claim(cluster_, "shop", "books");
    put_claim(cluster_, "shop", "cache");
  }

  void install_snapshots() {
    cluster_.create({"apiextensions.k8s.io", "v1", "customresourcedefinitions"}, "",
                    definition("VolumeSnapshot", "volumesnapshots", "Namespaced"));
    cluster_.create({"apiextensions.k8s.io", "v1", "customresourcedefinitions"}, "",
                    definition("VolumeSnapshotContent", "volumesnapshotcontents", "Cluster"));
  }
  void put_snapshot(const std::string& claim, const std::string& backup, const std::string& backup_of_content) {
    cluster_.create(kSnapshots, "shop",
                    {{"apiVersion", "snapshot.storage.k8s.io/v1"},
                     {"kind", "VolumeSnapshot"},
                     {"metadata", {{"name", "vs-" + claim}, {"labels", {{"velero.io/backup-name", backup}}}}},
                     {"spec", {{"source", {{"persistentVolumeClaimName", claim}}}}},
                     {"status",
                      {{"boundVolumeSnapshotContentName", "vsc-" + claim},
                       {"creationTime", "2030-01-01T00:00:01Z"},
                       {"readyToUse", true},
                       {"restoreSize", "2Gi"}}}});
    cluster_.create(
        kContents, "",
        {{"apiVersion", "snapshot.storage.k8s.io/v1"},
         {"kind", "VolumeSnapshotContent"},
         {"metadata", {{"name", "vsc-" + claim}, {"labels", {{"velero.io/backup-name", backup_of_content}}}}},
         {"spec", {{"driver", "disk.example.com"}}},
         {"status", {{"snapshotHandle", "handle-" + claim}}}});
  }

  // With actions that go on after the run, by the resources that they are for.
  BackupSettings settings(const std::map<std::string, Started>& by_resource) {
    BackupSettings settings = TestBackupRunner::built_in();
    settings.make_actions = [=, this](kube::Client&, const kube::Discovery&) {
      std::vector<std::unique_ptr<extension::BackupItemAction>> actions;
      for (const auto& [resource, started] : by_resource) {
        actions.push_back(std::make_unique<GoesOn>(answers_, resource, started));
      }
      return actions;
    };
    return settings;
  }
  std::string run(TestBackupRunner& runner, const Json& more = Json::object()) {
    Json spec = {{"includedNamespaces", {"shop"}}, {"includeClusterResources", true}};
    spec.update(more);
    runner.create("b1", spec);
    const Status done = runner.run("b1");
    EXPECT_TRUE(done) << done.error().message();
    return phase();
  }
  std::string end(TestBackupRunner& runner) {
    answers_.with([](OperationProgress& progress) { progress.is_completed = true; });
    const Status waited = runner.wait("b1");
    EXPECT_TRUE(waited) << waited.error().message();
    const Status ended = runner.finalize("b1");
    EXPECT_TRUE(ended) << ended.error().message();
    return phase();
  }
  std::string phase() { return cluster_.get(api::kBackup, "b1")["status"].value("phase", ""); }
  Json document(BackupArtifact artifact) {
    const auto locations = TestBackupRunner(cluster_).bucket();
    return TestCluster::must(locations->backups().read("b1", artifact, {})).value_or(Json());
  }
  Json row(const std::string& volume) {
    for (const Json& one : document(BackupArtifact::kVolumeInfos)) {
      if (one.value("pvName", "") == volume) return one;
    }
    return nullptr;
  }

  Answers answers_;
  TestCluster cluster_;
};

TEST_F(CsiBackup, HasARowForASnapshotThatIsThere) {
  install_snapshots();
  put_snapshot("books", "b1", "b1");
  put_snapshot("cache", "b1", "another");
  const std::string id = "shop/vs-books/2030-01-01T00:00:02Z";
  const k8s::ObjectRef snapshot{.resource = kSnapshots.group_resource(), .name_space = "shop", .name = "vs-books"};
  TestBackupRunner runner(
      cluster_, settings({{"persistentvolumeclaims", {.id = {}, .after = {}, .additional = {snapshot}}},
                          {"volumesnapshots.snapshot.storage.k8s.io", {.id = id, .after = {}, .additional = {}}}}));
  ASSERT_EQ(run(runner), "WaitingForPluginOperations");
  Json golden = Json::parse(R"({
    "pvcName": "books",
    "pvcNamespace": "shop",
    "pvName": "pv-books",
    "backupMethod": "CSISnapshot",
    "snapshotDataMoved": false,
    "preserveLocalSnapshot": true,
    "skipped": false,
    "startTimestamp": "2030-01-01T00:00:01Z",
    "csiSnapshotInfo": {
      "snapshotHandle": "handle-books",
      "size": 2147483648,
      "driver": "disk.example.com",
      "vscName": "vsc-books",
      "operationID": "shop/vs-books/2030-01-01T00:00:02Z",
      "ReadyToUse": true
    },
    "pvInfo": {"reclaimPolicy": "Retain", "labels": {"tier": "gold"}}
  })");
  EXPECT_EQ(row("pv-books"), golden);
  EXPECT_EQ(row("pv-cache").value("skipped", false), true) << "its content is another backup's";

  EXPECT_EQ(end(runner), "Completed") << document(BackupArtifact::kResults).dump();
  const Json operation = document(BackupArtifact::kItemOperations)[0];
  golden["completionTimestamp"] = operation["status"]["updated"];
  golden["result"] = "succeeded";
  EXPECT_EQ(row("pv-books"), golden);
}

TEST_F(CsiBackup, LooksForNoSnapshotsWhereDataIsMoved) {
  install_snapshots();
  put_snapshot("books", "b1", "b1");
  TestBackupRunner runner(cluster_);
  run(runner, {{"snapshotMoveData", true}});
  EXPECT_EQ(row("pv-books").value("skipped", false), true);
}

TEST_F(CsiBackup, HasARowForAClaimWhoseDataIsMoved) {
  cluster_.create(
      api::kDataUpload,
      {{"metadata", {{"name", "b1-x"}, {"labels", {{"velero.io/backup-name", "b1"}}}}},
       {"spec",
        {{"snapshotType", "CSI"},
         {"csiSnapshot", {{"volumeSnapshot", "vs-books"}, {"storageClass", "fast"}, {"driver", "disk.example.com"}}},
         {"sourcePVC", "books"},
         {"sourceNamespace", "shop"},
         {"backupStorageLocation", "default"},
         {"operationTimeout", "10m"}}},
       {"status", {{"phase", "Accepted"}, {"startTimestamp", "2030-01-01T00:00:03Z"}}}});
  const k8s::ObjectRef upload{.resource = {"velero.io", "datauploads"}, .name_space = "velero", .name = "b1-x"};
  TestBackupRunner runner(cluster_,
                          settings({{"persistentvolumeclaims", {.id = "du-1", .after = {upload}, .additional = {}}}}));
  ASSERT_EQ(run(runner, {{"snapshotMoveData", true}}), "WaitingForPluginOperations");
  Json expected = row("pv-books");
  EXPECT_EQ(expected["snapshotDataMoved"], true);
  EXPECT_EQ(expected["snapshotDataMovementInfo"]["Phase"], "Accepted");
  EXPECT_EQ(expected["csiSnapshotInfo"]["driver"], "disk.example.com");
  EXPECT_FALSE(expected.contains("result"));

  TestCluster::must(cluster_.objects(api::kDataUpload)
                        .patch("b1-x", kube::PatchType::kMerge,
                               {{"status",
                                 {{"phase", "Completed"},
                                  {"completionTimestamp", "2030-01-01T00:01:00Z"},
                                  {"snapshotID", "c0ffee"},
                                  {"incrementalBytes", 7},
                                  {"progress", {{"totalBytes", 100}, {"bytesDone", 100}}}}}},
                               {}));
  EXPECT_EQ(end(runner), "Completed") << document(BackupArtifact::kResults).dump();
  expected["completionTimestamp"] = "2030-01-01T00:01:00Z";
  expected["result"] = "succeeded";
  expected["snapshotDataMovementInfo"] = {{"dataMover", "velero"},          {"uploaderType", "kopia"},
                                          {"retainedSnapshot", "vs-books"}, {"snapshotHandle", "c0ffee"},
                                          {"operationID", "du-1"},          {"size", 100},
                                          {"incrementalSize", 7},           {"Phase", "Completed"}};
  EXPECT_EQ(row("pv-books"), expected);
}

TEST_F(CsiBackup, DoesWithoutListsThatFail) {
  install_snapshots();
  put_snapshot("books", "b1", "b1");
  const kube::Discovery discovery = TestCluster::must(kube::discover(cluster_.client(), {}));
  const kube::Resource definitions(cluster_.client(), {"apiextensions.k8s.io", "v1", "customresourcedefinitions"});
  // Gone since the cluster was asked what it serves.
  TestCluster::must(definitions.remove("volumesnapshotcontents.snapshot.storage.k8s.io", {}));
  TestCluster::must(definitions.remove("datauploads.velero.io", {}));
  const auto is_served = [&](const kube::Resource& one) { return one.list({}, {}).has_value(); };
  const SteadyTime deadline = system_clock().after(std::chrono::seconds(60));
  while (is_served({cluster_.client(), kContents}) || is_served(cluster_.objects(api::kDataUpload))) {
    ASSERT_LT(system_clock().now(), deadline);
    system_clock().sleep_for(std::chrono::milliseconds(5), {});
  }

  const Json backup = {{"metadata", {{"name", "b1"}}}};
  operation::ItemOperation moved;
  moved.operation_id = "du-1";
  moved.item = {{"", "persistentvolumeclaims"}, "shop", "cache"};
  moved.after_operation = {{{"velero.io", "datauploads"}, "velero", "b1-x"}};
  moved.phase = operation::OperationPhase::kCompleted;
  Json rows =
      Json::array({{{"pvName", "pv-books"}, {"pvcName", "books"}, {"pvcNamespace", "shop"}, {"skipped", true}},
                   {{"pvName", "pv-cache"}, {"pvcName", "cache"}, {"pvcNamespace", "shop"}, {"skipped", true}}});
  const auto log = operation::RunLog::create("/tmp", io::LogFormat::kText).value();
  add_csi_rows(cluster_.context(), backup, discovery, {moved}, Logger().also_to(log, LogLevel::kInfo), rows, {});
  EXPECT_EQ(rows[0]["skipped"], true);
  EXPECT_EQ(rows[1]["snapshotDataMoved"], true);
  EXPECT_EQ(log->errors(), 0);
  EXPECT_EQ(log->warnings(), 2);

  const auto bucket = TestBackupRunner(cluster_).bucket();
  const auto ended = TestCluster::must(end_csi_infos(cluster_.context(), backup, bucket->backups(), {moved}, rows, {}));
  ASSERT_TRUE(ended);
  EXPECT_EQ((*ended)[1]["result"], "succeeded");
}

}  // namespace
}  // namespace landfall::control
