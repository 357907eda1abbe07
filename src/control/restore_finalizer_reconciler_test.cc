#include "control/restore_finalizer_reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/guarded.h"
#include "control/test_backup_runner.h"
#include "control/test_restore_runner.h"
#include "control/test_stored_backups.h"
#include "json/access.h"

namespace landfall::control {
namespace {

using extension::OperationProgress;
using json::Json;
using operation::ItemOperation;
using operation::OperationPhase;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string problem(const Status& status) { return status ? "" : status.error().message(); }

// What the operations of a test say when they are asked.
struct Answers {
  OperationProgress progress;
  std::vector<std::string> canceled;
};

// Starts an operation for the ConfigMap "a".
class Starts final : public extension::RestoreItemAction, public extension::Waitable {
 public:
  explicit Starts(Guarded<Answers>& answers) : answers_(answers) {}
  std::string name() const override { return "test/starts"; }
  extension::ActionScope scope() const override { return {.included_resources = {"configmaps"}}; }
  Result<extension::RestoreActionResult> execute(const extension::RestoreActionInput& input,
                                                 const std::stop_token& /*stop*/) override {
    extension::RestoreActionResult result;
    if (input.item["metadata"]["name"] == "a") result.operation_id = "op-a";
    return result;
  }
  extension::Waitable* waitable() override { return this; }

  Result<OperationProgress> progress(const std::string& /*operation_id*/, const Json& /*owner*/,
                                     const std::stop_token& /*stop*/) override {
    return answers_.with([](const Answers& answers) { return answers.progress; });
  }
  Status cancel(const std::string& operation_id, const Json& /*owner*/, const std::stop_token& /*stop*/) override {
    answers_.with([&](Answers& answers) { answers.canceled.push_back(operation_id); });
    return {};
  }

 private:
  Guarded<Answers>& answers_;
};

class RestoreEnd : public ::testing::Test {
 protected:
  RestoreEnd() {
    cluster_.create_location("default");
    cluster_.create_namespace("shop");
    cluster_.create({"", "v1", "configmaps"}, "shop", {{"metadata", {{"name", "a"}}}});
  }

  void back_up() { TestBackupRunner(cluster_).back_up("b1", {{"includedNamespaces", {"shop"}}}); }
  RestoreSettings starting() {
    RestoreSettings settings = TestRestoreRunner::built_in();
    settings.make_actions = [this](const item_actions::RestoreActionContext&, const kube::Discovery&) {
      std::vector<std::unique_ptr<extension::RestoreItemAction>> actions;
      actions.push_back(std::make_unique<Starts>(answers_));
      return actions;
    };
    return settings;
  }
  static Json mapped(Json more = Json::object()) {
    Json spec = {{"backupName", "b1"}, {"namespaceMapping", {{"shop", "copy"}}}};
    spec.update(more);
    return spec;
  }
  void say(OperationProgress progress) {
    answers_.with([&](Answers& answers) { answers.progress = std::move(progress); });
  }
  Json status() { return cluster_.get(api::kRestore, "r1")["status"]; }
  Json document(bucket::RestoreArtifact artifact) {
    return TestCluster::must(TestBackupRunner(cluster_).bucket()->backups().read("r1", artifact, {})).value();
  }
  // A pod whose hook waits for a container that nobody starts here.
  void pod_with_hook(const std::string& wait) {
    cluster_.create({"", "v1", "pods"}, "shop",
                    {{"metadata",
                      {{"name", "db"},
                       {"annotations",
                        {{"post.hook.restore.velero.io/command", "[\"/bin/true\"]"},
                         {"post.hook.restore.velero.io/wait-timeout", wait}}}}},
                     {"spec", {{"containers", {{{"name", "db"}, {"image", "busybox"}}}}}}});
  }

  Guarded<Answers> answers_;
  TestCluster cluster_;
};

TEST_F(RestoreEnd, WaitsForOperations) {
  back_up();
  TestRestoreRunner runner(cluster_, starting());
  runner.create("r1", mapped());
  ASSERT_EQ(problem(runner.run("r1")), "");
  ASSERT_EQ(status()["phase"].get<std::string>(), "WaitingForPluginOperations") << status().dump(1);
  EXPECT_EQ(status()["restoreItemOperationsAttempted"].get<int>(), 1);

  say({.done = 1, .total = 2, .started = system_clock().wall_now()});
  ASSERT_EQ(problem(runner.wait("r1")), "");
  EXPECT_EQ(status()["phase"].get<std::string>(), "WaitingForPluginOperations");
  say({.is_completed = true});
  // Another server can go on waiting.
  TestRestoreRunner other(cluster_, starting());
  ASSERT_EQ(problem(other.wait("r1")), "");
  EXPECT_EQ(status()["phase"].get<std::string>(), "Finalizing");
  EXPECT_EQ(status()["restoreItemOperationsCompleted"].get<int>(), 1);
  EXPECT_EQ(document(bucket::RestoreArtifact::kItemOperations)[0]["status"]["phase"].get<std::string>(), "Completed");
  EXPECT_EQ(other.end("r1")["status"]["phase"].get<std::string>(), "Completed");
}

TEST_F(RestoreEnd, AnOperationThatFailsOrTakesTooLongMakesItPartiallyFailed) {
  back_up();
  TestRestoreRunner runner(cluster_, starting());
  runner.create("r1", mapped({{"itemOperationTimeout", "1ns"}}));
  ASSERT_EQ(problem(runner.run("r1")), "");
  ASSERT_EQ(problem(runner.wait("r1")), "");
  EXPECT_EQ(status()["phase"].get<std::string>(), "FinalizingPartiallyFailed");
  EXPECT_EQ(status()["errors"].get<int>(), 1);
  EXPECT_EQ(status()["restoreItemOperationsFailed"].get<int>(), 1);
  EXPECT_THAT(answers_.copy().canceled, ElementsAre("op-a"));
  EXPECT_EQ(runner.end("r1")["status"]["phase"].get<std::string>(), "PartiallyFailed");
  EXPECT_THAT(cluster_.metrics().text(), HasSubstr("velero_restore_partial_failure_total{schedule=\"\"} 1"));
}

TEST_F(RestoreEnd, CancelingOneThatWaitsCancelsItsOperations) {
  back_up();
  TestRestoreRunner runner(cluster_, starting());
  runner.create("r1", mapped());
  ASSERT_EQ(problem(runner.run("r1")), "");
  patch(cluster_, api::kRestore, "r1", {{"spec", {{"cancel", true}}}});
  ASSERT_EQ(problem(runner.wait("r1")), "");
  EXPECT_EQ(status()["phase"].get<std::string>(), "Failed");
  EXPECT_TRUE(status()["canceled"].get<bool>());
  EXPECT_THAT(answers_.copy().canceled, ElementsAre("op-a"));
}

TEST_F(RestoreEnd, DeletingOneThatWaitsCancelsItsOperations) {
  back_up();
  TestRestoreRunner runner(cluster_, starting());
  runner.create("r1", mapped());
  ASSERT_EQ(problem(runner.run("r1")), "");
  cluster_.objects(api::kRestore).remove("r1", {}).value();
  ASSERT_EQ(problem(runner.withdraw("r1")), "");
  EXPECT_THAT(answers_.copy().canceled, ElementsAre("op-a"));
  EXPECT_FALSE(cluster_.objects(api::kRestore).get("r1", {}));
}

TEST_F(RestoreEnd, AHookThatFailsIsInTheResults) {
  pod_with_hook("1s");
  back_up();
  TestRestoreRunner runner(cluster_);
  const Json restore = runner.restore("r1", mapped());
  EXPECT_EQ(restore["status"]["phase"].get<std::string>(), "PartiallyFailed") << restore.dump(1);
  EXPECT_EQ(restore["status"]["hookStatus"]["hooksAttempted"].get<int>(), 1);
  EXPECT_EQ(restore["status"]["hookStatus"]["hooksFailed"].get<int>(), 1);
  EXPECT_EQ(restore["status"]["errors"].get<int>(), 1);
  EXPECT_EQ(document(bucket::RestoreArtifact::kResults)["errors"]["namespaces"]["copy"].size(), 1U);
  EXPECT_EQ(restore["status"]["progress"]["step"].get<std::string>(), "Finalizing");
}

TEST_F(RestoreEnd, ShowsWhichHookItWaitsForAndKeepsNoWorker) {
  pod_with_hook("1h");
  back_up();
  TestRestoreRunner runner(cluster_);
  runner.create("r1", mapped());
  ASSERT_EQ(problem(runner.run("r1")), "");
  ASSERT_EQ(problem(runner.finalize("r1")), "");
  EXPECT_EQ(status()["phase"].get<std::string>(), "Finalizing");
  EXPECT_EQ(status()["progress"]["step"].get<std::string>(), "RunningHooks");
  EXPECT_THAT(status()["progress"]["current"].get<std::string>(), HasSubstr("copy/db"));

  // Another server takes over: it goes on by the journal.
  TestRestoreRunner other(cluster_);
  ASSERT_EQ(problem(other.finalize("r1")), "");
  EXPECT_EQ(status()["phase"].get<std::string>(), "Finalizing");
  EXPECT_EQ(status()["progress"]["step"].get<std::string>(), "RunningHooks");

  // And one that finds the pod gone says so.
  TestRestoreRunner third(cluster_);
  // Whatever it answers: the sandbox may have taken a pod away that runs nowhere before the call is over.
  static_cast<void>(
      kube::Resource(cluster_.client(), {"", "v1", "pods"}, "copy").remove("db", {}, {.grace_period_seconds = 0}));
  const Json restore = third.end("r1");
  EXPECT_EQ(restore["status"]["phase"].get<std::string>(), "PartiallyFailed") << restore.dump(1);
  EXPECT_EQ(restore["status"]["hookStatus"]["hooksFailed"].get<int>(), 1);
}

TEST_F(RestoreEnd, CancelingOneWhoseHooksWaitDropsThem) {
  pod_with_hook("1h");
  back_up();
  TestRestoreRunner runner(cluster_);
  runner.create("r1", mapped());
  ASSERT_EQ(problem(runner.run("r1")), "");
  ASSERT_EQ(problem(runner.finalize("r1")), "");
  patch(cluster_, api::kRestore, "r1", {{"spec", {{"cancel", true}}}});
  ASSERT_EQ(problem(runner.finalize("r1")), "");
  EXPECT_EQ(status()["phase"].get<std::string>(), "Failed");
  EXPECT_EQ(status()["failureReason"].get<std::string>(), "canceled");
}

TEST_F(RestoreEnd, WithoutItsBackupItIsPartiallyFailed) {
  back_up();
  TestRestoreRunner runner(cluster_);
  runner.create("r1", mapped());
  ASSERT_EQ(problem(runner.run("r1")), "");
  cluster_.objects(api::kBackup).remove("b1", {}).value();
  EXPECT_EQ(runner.end("r1")["status"]["phase"].get<std::string>(), "PartiallyFailed");
}

TEST_F(RestoreEnd, VolumesThatWereProvisionedAnewGetBackWhatTheOldOnesHad) {
  const kube::Resource claims(cluster_.client(), {"", "v1", "persistentvolumeclaims"}, "copy");
  const kube::Resource volumes(cluster_.client(), {"", "v1", "persistentvolumes"});
  cluster_.create(
      {"", "v1", "persistentvolumeclaims"}, "shop",
      {{"metadata", {{"name", "data"}}},
       {"spec", {{"accessModes", {"ReadWriteOnce"}}, {"resources", {{"requests", {{"storage", "1Gi"}}}}}}}});
  back_up();
  const StoredBackups stored(cluster_);
  stored.write_json("backups/b1/b1-volumeinfo.json.gz",
                    Json::array({{{"pvcName", "data"},
                                  {"pvcNamespace", "shop"},
                                  {"pvName", "pv-old"},
                                  {"backupMethod", "PodVolumeBackup"},
                                  {"pvInfo", {{"reclaimPolicy", "Retain"}, {"labels", {{"tier", "gold"}}}}}}}),
                    bucket::Form::kGzipJson);
  TestRestoreRunner runner(cluster_);
  runner.create("r1", mapped());
  ASSERT_EQ(problem(runner.run("r1")), "");
  ASSERT_TRUE(claims.get("data", {}));
  ASSERT_EQ(problem(runner.finalize("r1")), "");
  const std::string phase = status()["phase"];
  EXPECT_THAT(phase, testing::StartsWith("Finalizing")) << "it waits until the claim is bound";

  cluster_.create({"", "v1", "persistentvolumes"}, "",
                  {{"metadata", {{"name", "pv-new"}, {"labels", {{"zone", "a"}}}}},
                   {"spec",
                    {{"capacity", {{"storage", "1Gi"}}},
                     {"accessModes", {"ReadWriteOnce"}},
                     {"persistentVolumeReclaimPolicy", "Delete"},
                     {"claimRef", {{"namespace", "copy"}, {"name", "data"}}},
                     {"hostPath", {{"path", "/nowhere"}}}}}});
  volumes.patch("pv-new", kube::PatchType::kMerge, {{"status", {{"phase", "Bound"}}}}, {}, {.subresource = "status"})
      .value();
  claims.patch("data", kube::PatchType::kMerge, {{"spec", {{"volumeName", "pv-new"}}}}, {}).value();
  claims.patch("data", kube::PatchType::kMerge, {{"status", {{"phase", "Bound"}}}}, {}, {.subresource = "status"})
      .value();
  runner.end("r1");
  const Json volume = TestCluster::must(volumes.get("pv-new", {}));
  EXPECT_EQ(volume["spec"]["persistentVolumeReclaimPolicy"].get<std::string>(), "Retain");
  EXPECT_EQ(volume["metadata"]["labels"], Json({{"tier", "gold"}}));
}

TEST(VolumesToPatch, AreThoseOfClaimsThatTheRestoreHasCreated) {
  const auto info = [](const std::string& claim, const std::string& method) -> Json {
    return {{"pvcName", claim},
            {"pvcNamespace", "shop"},
            {"backupMethod", method},
            {"pvInfo", {{"reclaimPolicy", "Retain"}, {"labels", nullptr}}}};
  };
  const Json infos = {info("files", "PodVolumeBackup"),
                      info("csi", "CSISnapshot"),
                      info("native", "NativeSnapshot"),
                      info("old", "CSISnapshot"),
                      info("unfilled", "CSISnapshot"),
                      {{"pvcName", "bare"}, {"pvcNamespace", "shop"}, {"backupMethod", "CSISnapshot"}}};
  const Json list = {{"v1/PersistentVolumeClaim",
                      {"copy/files(created)", "copy/csi(created)", "copy/native(created)", "copy/old(skipped)",
                       "copy/unfilled(created)", "copy/bare(created)"}}};
  const std::vector<ItemOperation> operations = {
      {.action = "velero.io/csi-pvc-restorer",
       .item = {.resource = {"", "persistentvolumeclaims"}, .name_space = "copy", .name = "unfilled"},
       .phase = OperationPhase::kFailed},
      {.action = "velero.io/csi-pvc-restorer",
       .item = {.resource = {"", "persistentvolumeclaims"}, .name_space = "copy", .name = "csi"},
       .phase = OperationPhase::kCompleted}};
  EXPECT_THAT(volumes_to_patch(infos, list, operations, {{"shop", "copy"}}),
              ElementsAre(PatchedVolume{.name_space = "copy", .claim = "files", .reclaim_policy = "Retain"},
                          PatchedVolume{.name_space = "copy", .claim = "csi", .reclaim_policy = "Retain"}));
  EXPECT_THAT(volumes_to_patch(infos, Json::object(), operations, {}), IsEmpty());
  EXPECT_THAT(volumes_to_patch(nullptr, list, operations, {}), IsEmpty());
}

}  // namespace
}  // namespace landfall::control
