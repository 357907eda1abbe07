#include "control/restore_run_reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bucket/artifact.h"
#include "control/restore_execution.h"
#include "control/test_backup_runner.h"
#include "control/test_restore_runner.h"
#include "control/test_stored_backups.h"
#include "io/file.h"
#include "json/access.h"
#include "json/parse.h"
#include "restore/plan_document.h"

namespace landfall::control {
namespace {

using json::Json;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Does something whenever an object is about to be created.
class Does final : public extension::RestoreItemAction {
 public:
  explicit Does(std::function<void(const Json& item)> what) : what_(std::move(what)) {}
  std::string name() const override { return "test/does"; }
  extension::ActionScope scope() const override { return {.included_resources = {"configmaps"}}; }
  Result<extension::RestoreActionResult> execute(const extension::RestoreActionInput& input,
                                                 const std::stop_token& /*stop*/) override {
    what_(input.item);
    return extension::RestoreActionResult();
  }

 private:
  const std::function<void(const Json& item)> what_;
};

std::string problem(const Status& status) { return status ? "" : status.error().message(); }

class RestoreRun : public ::testing::Test {
 protected:
  static constexpr int kMaps = 12;

  RestoreRun() {
    cluster_.create_location("default");
    cluster_.create_namespace("shop", {{"team", "books"}});
    for (int i = 0; i < kMaps; ++i) {
      cluster_.create({"", "v1", "configmaps"}, "shop",
                      {{"metadata", {{"name", "map-" + std::to_string(i)}}}, {"data", {{"key", "value"}}}});
    }
    TestBackupRunner(cluster_).back_up("b1", {{"includedNamespaces", {"shop"}}});
  }

  static RestoreSettings doing(std::function<void(const Json& item)> what, int workers = 1) {
    RestoreSettings settings = TestRestoreRunner::built_in();
    settings.engine.workers = {.first = workers, .most = workers};
    settings.make_actions = [what = std::move(what)](const item_actions::RestoreActionContext& context,
                                                     const kube::Discovery& discovery) {
      auto actions = item_actions::built_in_restore_actions(context, discovery);
      actions.push_back(std::make_unique<Does>(what));
      return actions;
    };
    return settings;
  }
  static Json mapped(Json more = Json::object()) {
    Json spec = {{"backupName", "b1"}, {"namespaceMapping", {{"shop", "copy"}}}};
    spec.update(more);
    return spec;
  }
  Json status(const std::string& name) { return cluster_.get(api::kRestore, name)["status"]; }
  std::vector<std::string> maps(const std::string& name_space = "copy") {
    std::vector<std::string> names;
    for (const Json& map :
         TestCluster::must(kube::Resource(cluster_.client(), {"", "v1", "configmaps"}, name_space).list({}, {}))
             .items) {
      const std::string name = map["metadata"]["name"];
      if (name.starts_with("map-")) names.push_back(name);
    }
    return names;
  }
  std::vector<std::string> files(const std::string& folder) {
    std::vector<std::string> found;
    const std::filesystem::path path = std::filesystem::path(cluster_.bucket()) / folder;
    if (!std::filesystem::exists(path)) return found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
      if (entry.is_regular_file()) found.push_back(std::filesystem::relative(entry.path(), path));
    }
    std::ranges::sort(found);
    return found;
  }
  Json document(const std::string& name, bucket::RestoreArtifact artifact) {
    return TestCluster::must(TestBackupRunner(cluster_).bucket()->backups().read(name, artifact, {})).value();
  }
  restore::Plan plan(const std::string& name) {
    const auto opened = TestBackupRunner(cluster_).bucket();
    const auto text =
        bucket::decompressed(TestCluster::must(opened->backups().open(name, bucket::RestoreArtifact::kPlan, {})));
    return TestCluster::must(restore::read_plan(*text));
  }

  TestCluster cluster_;
};

TEST_F(RestoreRun, TakesARestoreFromNewToCompleted) {
  TestRestoreRunner runner(cluster_);
  const Json restore = runner.restore("r1", mapped());

  const Json& status = restore["status"];
  EXPECT_EQ(status["phase"].get<std::string>(), "Completed") << restore.dump(1);
  EXPECT_TRUE(status.contains("startTimestamp"));
  EXPECT_TRUE(status.contains("completionTimestamp"));
  EXPECT_FALSE(status.contains("errors"));
  EXPECT_EQ(status["progress"]["totalItems"], status["progress"]["itemsRestored"]);
  EXPECT_GE(status["progress"]["itemsRestored"].get<int>(), kMaps);
  EXPECT_THAT(restore["metadata"]["finalizers"], ElementsAre(Json("restores.velero.io/external-resources-finalizer")));
  EXPECT_EQ(maps().size(), std::size_t{kMaps});
  EXPECT_THAT(files("restores/r1"),
              ElementsAre("r1-volumeinfo.json.gz", "restore-r1-itemoperations.json.gz", "restore-r1-logs.gz",
                          "restore-r1-plan.json.gz", "restore-r1-resource-list.json.gz", "restore-r1-results.gz"))
      << "and nothing of the journal";
  EXPECT_THAT(document("r1", bucket::RestoreArtifact::kResourceList)["v1/ConfigMap"],
              Contains(Json("copy/map-3(created)")));
  EXPECT_EQ(document("r1", bucket::RestoreArtifact::kItemOperations), Json::array());
  EXPECT_EQ(document("r1", bucket::RestoreArtifact::kVolumeInfos), Json::array());
  EXPECT_EQ(plan("r1").backup, "b1");
  EXPECT_THAT(cluster_.metrics().text(), AllOf(HasSubstr("velero_restore_attempt_total{schedule=\"\"} 1"),
                                               HasSubstr("velero_restore_success_total{schedule=\"\"} 1"),
                                               Not(HasSubstr("landfall_restore_progress_items_done{"))));
}

TEST_F(RestoreRun, RestoresWhatVeleroHasStored) {
  const StoredBackups stored(cluster_);
  std::filesystem::remove_all(cluster_.bucket());
  stored.load("velero-1.18.3");
  const auto read = TestBackupRunner(cluster_).bucket()->backups().read_backup("bookshop", {});
  ASSERT_TRUE(read) << read.error().message();
  cluster_.create(api::kBackup,
                  {{"metadata", {{"name", "bookshop"}, {"annotations", (*read)["metadata"]["annotations"]}}},
                   {"spec", (*read)["spec"]},
                   {"status", (*read)["status"]}});
  TestRestoreRunner runner(cluster_);
  const Json restore = runner.restore("again", {{"backupName", "bookshop"}});
  EXPECT_EQ(restore["status"]["phase"], "Completed") << restore.dump(1);
  EXPECT_TRUE(kube::Resource(cluster_.client(), {"", "v1", "namespaces"}).get("bookshop", {}));
  EXPECT_EQ(restore["status"]["progress"]["totalItems"], restore["status"]["progress"]["itemsRestored"]);
  // What a namespace gets by itself may be there first; everything else is made.
  const Json outcomes = restore["status"]["progress"]["outcomes"];
  EXPECT_EQ(outcomes["failed"], 0) << outcomes;
  EXPECT_EQ(outcomes["created"].get<int>() + outcomes["unchanged"].get<int>(), 40) << outcomes;
  EXPECT_LE(outcomes["unchanged"].get<int>(), 4) << outcomes;
}

TEST_F(RestoreRun, ABackupWithoutAnArchiveFailsTheRestore) {
  std::filesystem::remove(cluster_.bucket() + "/backups/b1/b1.tar.gz");
  TestRestoreRunner runner(cluster_);
  runner.create("r1", mapped());
  ASSERT_EQ(problem(runner.run("r1")), "");
  EXPECT_EQ(status("r1")["phase"].get<std::string>(), "Failed");
  EXPECT_THAT(status("r1")["failureReason"].get<std::string>(), HasSubstr("there is no archive b1.tar.gz"));
  EXPECT_TRUE(status("r1").contains("completionTimestamp"));
  EXPECT_THAT(files("restores/r1"), ElementsAre("restore-r1-logs.gz", "restore-r1-results.gz"));
  EXPECT_THAT(cluster_.metrics().text(), HasSubstr("velero_restore_failed_total{schedule=\"\"} 1"));
}

TEST_F(RestoreRun, NothingIsRestoredFromAnArchiveThatIsTruncatedOrNotTheOneThatWasStored) {
  TestRestoreRunner runner(cluster_);
  const std::string path = cluster_.bucket() + "/backups/b1/b1.tar.gz";
  const std::string whole = TestCluster::must(io::read_file(path, std::size_t{1} << 24U));
  const auto restore_from = [&](const std::string& name, const std::string& bytes) {
    std::filesystem::remove(path);
    std::ofstream(path, std::ios::binary) << bytes;
    runner.create(name, mapped());
    EXPECT_EQ(problem(runner.run(name)), "");
    EXPECT_EQ(status(name)["phase"].get<std::string>(), "Failed") << status(name).dump(1);
    return status(name)["failureReason"].get<std::string>();
  };
  EXPECT_THAT(restore_from("cut", whole.substr(0, whole.size() / 2)), HasSubstr("archive b1.tar.gz"));
  // Another archive that is whole.
  TestBackupRunner(cluster_).back_up("b2", {{"includedNamespaces", {"velero"}}});
  const std::string other =
      TestCluster::must(io::read_file(cluster_.bucket() + "/backups/b2/b2.tar.gz", std::size_t{1} << 24U));
  EXPECT_THAT(restore_from("changed", other), HasSubstr("is not the one that was stored"));
  EXPECT_FALSE(kube::Resource(cluster_.client(), {"", "v1", "namespaces"}).get("copy", {}));
}

TEST_F(RestoreRun, APreviewTellsAndChangesNothing) {
  TestRestoreRunner runner(cluster_);
  const Json restore = runner.restore("p1", mapped({{"preview", true}}));

  EXPECT_EQ(restore["status"]["phase"].get<std::string>(), "Completed") << restore.dump(1);
  EXPECT_GE(restore["status"]["progress"]["totalItems"].get<int>(), kMaps);
  EXPECT_EQ(json::int_or(restore, {"status", "progress", "itemsRestored"}, 0), 0);
  EXPECT_FALSE(kube::Resource(cluster_.client(), {"", "v1", "namespaces"}).get("copy", {}));
  EXPECT_TRUE(plan("p1").is_preview);
  EXPECT_EQ(plan("p1").total(), restore["status"]["progress"]["totalItems"].get<int>());
  EXPECT_THAT(files("restores/p1"),
              ElementsAre("restore-p1-logs.gz", "restore-p1-plan.json.gz", "restore-p1-results.gz"));
  EXPECT_THAT(cluster_.metrics().text(), Not(HasSubstr("velero_restore_success_total{schedule=\"\"} 1")));
}

TEST_F(RestoreRun, APreviewStaysOneWhateverBecomesOfItsSpec) {
  TestRestoreRunner runner(cluster_);
  runner.create("p1", mapped(), {{"phase", "InProgress"}});
  patch(cluster_, api::kRestore, "p1", {{"metadata", {{"annotations", {{std::string(kPreviewAnnotation), "true"}}}}}});
  ASSERT_EQ(problem(runner.run("p1")), "");
  EXPECT_EQ(status("p1")["phase"].get<std::string>(), "Completed");
  EXPECT_FALSE(kube::Resource(cluster_.client(), {"", "v1", "namespaces"}).get("copy", {}));
}

TEST_F(RestoreRun, AServerThatStopsLeavesItInProgressAndTheNextOneGoesOn) {
  std::stop_source stop;
  int handled = 0;
  TestRestoreRunner first(cluster_, doing([&](const Json&) {
                            if (++handled == 5) stop.request_stop();
                          }));
  first.create("r1", mapped());
  const Status stopped = first.run("r1", stop.get_token());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code(), Code::kCancelled);
  EXPECT_EQ(status("r1")["phase"].get<std::string>(), "InProgress");
  const std::string started = status("r1")["startTimestamp"];
  const std::size_t before = maps().size();
  EXPECT_GE(before, 1U);
  EXPECT_LT(before, std::size_t{kMaps});

  int handled_again = 0;
  TestRestoreRunner second(cluster_, doing([&](const Json&) { ++handled_again; }));
  ASSERT_EQ(problem(second.run("r1")), "");
  const Json restore = second.end("r1");
  EXPECT_EQ(restore["status"]["phase"].get<std::string>(), "Completed") << restore.dump(1);
  EXPECT_EQ(restore["status"]["startTimestamp"].get<std::string>(), started);
  EXPECT_EQ(maps().size(), std::size_t{kMaps});
  EXPECT_LE(handled_again, kMaps + 2 - static_cast<int>(before) + 1) << "what was done is not done again";
  EXPECT_EQ(restore["status"]["progress"]["totalItems"], restore["status"]["progress"]["itemsRestored"]);
  // As one that nobody disturbed.
  TestRestoreRunner third(cluster_);
  const Json calm = third.restore("calm", mapped({{"namespaceMapping", {{"shop", "calm"}}}}));
  EXPECT_EQ(calm["status"]["progress"]["itemsRestored"], restore["status"]["progress"]["itemsRestored"]);
  // The cluster makes two objects of its own in every namespace, and may be first or second with them.
  const auto there = [](const Json& of) {
    const Json& outcomes = of["status"]["progress"]["outcomes"];
    return outcomes["created"].get<int>() + outcomes["unchanged"].get<int>();
  };
  EXPECT_EQ(there(restore), there(calm)) << restore.dump(1);
  const Json list = document("r1", bucket::RestoreArtifact::kResourceList)["v1/ConfigMap"];
  for (int i = 0; i < kMaps; ++i) EXPECT_THAT(list, Contains(Json("copy/map-" + std::to_string(i) + "(created)")));
  for (const Json& entry : list) EXPECT_THAT(entry.get<std::string>(), Not(HasSubstr("failed")));
}

TEST_F(RestoreRun, ARestoreThatIsCanceledStopsAndSaysWhatItHasDone) {
  int handled = 0;
  TestRestoreRunner runner(cluster_, doing([&](const Json&) {
                             if (++handled == 3) cluster_.running().cancel(api::kRestore, "r1");
                           }));
  runner.create("r1", mapped());
  ASSERT_EQ(problem(runner.run("r1")), "");
  const Json now = status("r1");
  EXPECT_EQ(now["phase"].get<std::string>(), "Failed");
  EXPECT_EQ(now["failureReason"].get<std::string>(), "canceled");
  EXPECT_TRUE(now["canceled"].get<bool>());
  EXPECT_TRUE(now.contains("completionTimestamp"));
  EXPECT_LT(now["progress"]["itemsRestored"].get<int>(), now["progress"]["totalItems"].get<int>());
  EXPECT_LT(maps().size(), std::size_t{kMaps});
  EXPECT_THAT(files("restores/r1"),
              ElementsAre("r1-volumeinfo.json.gz", "restore-r1-itemoperations.json.gz", "restore-r1-logs.gz",
                          "restore-r1-plan.json.gz", "restore-r1-resource-list.json.gz", "restore-r1-results.gz"));
  EXPECT_GE(document("r1", bucket::RestoreArtifact::kResourceList)["v1/ConfigMap"].size(), maps().size());
}

TEST_F(RestoreRun, OneThatIsCanceledWhileNoServerWasThereIsNotGoneOnWith) {
  std::stop_source stop;
  TestRestoreRunner first(cluster_, doing([&](const Json&) { stop.request_stop(); }));
  first.create("r1", mapped());
  ASSERT_FALSE(first.run("r1", stop.get_token()));
  const std::size_t before = maps().size();
  patch(cluster_, api::kRestore, "r1", {{"spec", {{"cancel", true}}}});

  TestRestoreRunner second(cluster_);
  ASSERT_EQ(problem(second.run("r1")), "");
  EXPECT_EQ(status("r1")["failureReason"].get<std::string>(), "canceled") << status("r1").dump(1);
  EXPECT_EQ(maps().size(), before);
  EXPECT_THAT(files("restores/r1"), Contains("restore-r1-results.gz"));
  EXPECT_THAT(files("restores/r1"), Each(Not(HasSubstr("journal"))));
}

TEST_F(RestoreRun, OneThatIsCanceledBeforeItsTurnDoesNothing) {
  TestRestoreRunner runner(cluster_);
  runner.create("r1", mapped({{"cancel", true}}));
  runner.create("r2", mapped({{"cancel", true}}));
  ASSERT_EQ(problem(runner.run("r1")), "");
  ASSERT_EQ(problem(runner.withdraw("r2")), "");
  for (const std::string name : {"r1", "r2"}) {
    EXPECT_EQ(status(name)["failureReason"].get<std::string>(), "canceled");
    EXPECT_TRUE(status(name)["canceled"].get<bool>());
    EXPECT_FALSE(status(name).contains("startTimestamp"));
  }
  EXPECT_THAT(files("restores"), IsEmpty());
}

TEST_F(RestoreRun, AReadOnlyLocationIsNotWrittenTo) {
  patch(cluster_, api::kBackupStorageLocation, "default", {{"spec", {{"accessMode", "ReadOnly"}}}});
  const auto before = files("");
  const auto records = [&] {
    int count = 0;
    for (const Json& map :
         TestCluster::must(kube::Resource(cluster_.client(), {"", "v1", "configmaps"}, "velero").list({}, {})).items) {
      count += map["metadata"]["name"] != "kube-root-ca.crt" ? 1 : 0;
    }
    return count;
  };
  std::stop_source stop;
  TestRestoreRunner first(cluster_, doing([&](const Json&) { stop.request_stop(); }));
  first.create("r1", mapped());
  ASSERT_FALSE(first.run("r1", stop.get_token()));
  EXPECT_GE(records(), 2) << "the plan and a journal";

  TestRestoreRunner second(cluster_);
  ASSERT_EQ(problem(second.run("r1")), "");
  const Json restore = second.end("r1");
  EXPECT_EQ(restore["status"]["phase"].get<std::string>(), "Completed") << restore.dump(1);
  EXPECT_EQ(maps().size(), std::size_t{kMaps});
  EXPECT_EQ(files(""), before);
  EXPECT_GE(records(), 1) << "the plan";

  cluster_.objects(api::kRestore).remove("r1", {}).value();
  ASSERT_EQ(problem(second.withdraw("r1")), "");
  EXPECT_EQ(records(), 0);
  EXPECT_FALSE(cluster_.objects(api::kRestore).get("r1", {}));
}

TEST_F(RestoreRun, ADeletedRestoreTakesItsFilesWithIt) {
  TestRestoreRunner runner(cluster_);
  runner.restore("r1", mapped());
  ASSERT_THAT(files("restores/r1"), Not(IsEmpty()));
  cluster_.objects(api::kRestore).remove("r1", {}).value();
  ASSERT_EQ(problem(runner.withdraw("r1")), "");
  EXPECT_FALSE(cluster_.objects(api::kRestore).get("r1", {}));
  EXPECT_THAT(files("restores"), IsEmpty());
  EXPECT_EQ(maps().size(), std::size_t{kMaps}) << "what it has restored stays";
}

TEST_F(RestoreRun, ARestoreWhoseLocationIsGoneCanStillBeDeleted) {
  TestRestoreRunner runner(cluster_);
  runner.restore("r1", mapped());
  cluster_.objects(api::kBackupStorageLocation).remove("default", {}).value();
  cluster_.objects(api::kRestore).remove("r1", {}).value();
  ASSERT_EQ(problem(runner.withdraw("r1")), "");
  EXPECT_FALSE(cluster_.objects(api::kRestore).get("r1", {}));
  EXPECT_THAT(files("restores/r1"), Not(IsEmpty()));
}

TEST_F(RestoreRun, OneThatWasNeverBegunLeavesAFolderOfItsNameAlone) {
  TestRestoreRunner runner(cluster_);
  runner.restore("r1", mapped());
  patch(cluster_, api::kRestore, "r1", {{"metadata", {{"finalizers", nullptr}}}});
  cluster_.objects(api::kRestore).remove("r1", {}).value();

  runner.create("r1", {{"backupName", "b1"}, {"existingResourcePolicy", "nonsense"}});
  ASSERT_EQ(problem(runner.run("r1")), "");
  cluster_.objects(api::kRestore).remove("r1", {}).value();
  ASSERT_EQ(problem(runner.withdraw("r1")), "");
  EXPECT_FALSE(cluster_.objects(api::kRestore).get("r1", {}));
  EXPECT_THAT(files("restores/r1"), Not(IsEmpty()));
}

TEST_F(RestoreRun, DeletingOneThatRunsCancelsItFirst) {
  TestRestoreRunner* runner_of_test = nullptr;
  int handled = 0;
  TestRestoreRunner runner(cluster_, doing([&](const Json&) {
                             if (++handled != 2) return;
                             cluster_.objects(api::kRestore).remove("r1", {}).value();
                             TestRestoreRunner::must(runner_of_test->withdraw("r1"));
                           }));
  runner_of_test = &runner;
  runner.create("r1", mapped());
  ASSERT_EQ(problem(runner.run("r1")), "");
  EXPECT_EQ(status("r1")["failureReason"].get<std::string>(), "canceled");
  EXPECT_LT(maps().size(), std::size_t{kMaps});
  ASSERT_EQ(problem(runner.withdraw("r1")), "");
  EXPECT_FALSE(cluster_.objects(api::kRestore).get("r1", {}));
  EXPECT_THAT(files("restores"), IsEmpty());
}

TEST_F(RestoreRun, TheLogCanBeReadWhileItRuns) {
  std::string text;
  TestRestoreRunner runner(cluster_, doing([&](const Json&) {
                             const auto log = cluster_.running().log(api::kRestore, "r1");
                             if (log) text = log->read(0, 1 << 20).value();
                           }));
  runner.restore("r1", mapped());
  EXPECT_FALSE(text.empty());
  EXPECT_EQ(cluster_.running().log(api::kRestore, "r1"), nullptr);
}

}  // namespace
}  // namespace landfall::control
