#include "control/backup_operations_reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/guarded.h"
#include "control/test_backup_runner.h"
#include "json/access.h"

namespace landfall::control {
namespace {

using extension::OperationProgress;
using json::Json;
using testing::HasSubstr;

std::string problem(const Status& status) { return status ? "" : status.error().message(); }

// What the operations of a test say when they are asked.
struct Answers {
  OperationProgress progress;
  std::vector<std::string> canceled;
};

// Starts an operation for every ConfigMap and takes it again afterwards.
class Starts final : public extension::BackupItemAction, public extension::Waitable {
 public:
  explicit Starts(Guarded<Answers>& answers) : answers_(answers) {}
  std::string name() const override { return "test/starts"; }
  extension::ActionScope scope() const override { return {.included_resources = {"configmaps"}}; }
  Result<extension::BackupActionResult> execute(const Json& item, const Json& /*backup*/,
                                                const std::stop_token& /*stop*/) override {
    extension::BackupActionResult result;
    const std::string name = item["metadata"]["name"];
    if (name != "a") return result;
    result.operation_id = "op-" + name;
    result.after_operation = {{.resource = {"", "configmaps"}, .name_space = "shop", .name = name}};
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

class BackupOperations : public ::testing::Test {
 protected:
  BackupOperations() : runner_(cluster_, settings()) {
    cluster_.create_location("default");
    cluster_.create_namespace("shop");
    cluster_.create({"", "v1", "configmaps"}, "shop", {{"metadata", {{"name", "a"}}}, {"data", {{"k", "before"}}}});
  }

  BackupSettings settings() {
    BackupSettings settings;
    settings.make_actions = [this](kube::Client&, const kube::Discovery&) {
      std::vector<std::unique_ptr<extension::BackupItemAction>> actions;
      actions.push_back(std::make_unique<Starts>(answers_));
      return actions;
    };
    return settings;
  }
  void start(const Json& more = Json::object()) {
    Json spec = {{"includedNamespaces", {"shop"}}};
    spec.update(more);
    runner_.create("b1", spec);
    ASSERT_EQ(problem(runner_.run("b1")), "");
    ASSERT_EQ(status()["phase"].get<std::string>(), "WaitingForPluginOperations");
  }
  Json status() { return cluster_.get(api::kBackup, "b1")["status"]; }
  void say(OperationProgress progress) {
    answers_.with([&](Answers& answers) { answers.progress = std::move(progress); });
  }

  Guarded<Answers> answers_;
  TestCluster cluster_;
  TestBackupRunner runner_;
};

TEST_F(BackupOperations, AreWaitedForAndTheirItemsTakenAgain) {
  start();
  say({.done = 1, .total = 2, .units = "bytes", .started = system_clock().wall_now()});
  ASSERT_EQ(problem(runner_.wait("b1")), "");
  EXPECT_EQ(status()["phase"].get<std::string>(), "WaitingForPluginOperations");
  EXPECT_EQ(status()["backupItemOperationsAttempted"].get<int>(), 1);

  TestCluster::must(kube::Resource(cluster_.client(), {"", "v1", "configmaps"}, "shop")
                        .patch("a", kube::PatchType::kMerge, {{"data", {{"k", "after"}}}}, {}));
  say({.is_completed = true, .done = 2, .total = 2});
  ASSERT_EQ(problem(runner_.wait("b1")), "");
  EXPECT_EQ(status()["phase"].get<std::string>(), "Finalizing");
  EXPECT_EQ(status()["backupItemOperationsCompleted"].get<int>(), 1);
  ASSERT_EQ(problem(runner_.finalize("b1")), "");

  EXPECT_EQ(status()["phase"].get<std::string>(), "Completed");
  const archive::SpooledArchive archive = runner_.archive("b1");
  EXPECT_THAT(archive.content(archive.index().find({"", "configmaps"}, "shop", "a").value()).value(),
              HasSubstr("after"));
  EXPECT_TRUE(runner_.verify("b1").is_whole());
}

TEST_F(BackupOperations, ThatFailMakeTheBackupPartiallyFailed) {
  start();
  say({.is_completed = true, .error = "the disk said no"});
  ASSERT_EQ(problem(runner_.wait("b1")), "");
  EXPECT_EQ(status()["phase"].get<std::string>(), "FinalizingPartiallyFailed");
  EXPECT_EQ(status()["errors"].get<int>(), 1);
  EXPECT_EQ(status()["backupItemOperationsFailed"].get<int>(), 1);
  ASSERT_EQ(problem(runner_.finalize("b1")), "");
  EXPECT_EQ(status()["phase"].get<std::string>(), "PartiallyFailed");
  const Json stored =
      TestCluster::must(runner_.bucket()->backups().read("b1", bucket::BackupArtifact::kItemOperations, {})).value();
  EXPECT_EQ(stored[0]["status"]["error"].get<std::string>(), "the disk said no");
}

TEST_F(BackupOperations, ThatFailCountThoughTheBackupCouldNotBeWritten) {
  start();
  const Json before = status();
  say({.is_completed = true, .error = "the disk said no"});
  ASSERT_EQ(problem(runner_.wait("b1")), "");
  // As if the server had died once the list was stored.
  Json backup = cluster_.get(api::kBackup, "b1");
  backup["status"] = before;
  TestCluster::must(cluster_.objects(api::kBackup).update(backup, {}));

  ASSERT_EQ(problem(runner_.wait("b1")), "");
  EXPECT_EQ(status()["phase"].get<std::string>(), "FinalizingPartiallyFailed");
  EXPECT_EQ(status()["errors"].get<int>(), 1);
  EXPECT_EQ(status()["backupItemOperationsFailed"].get<int>(), 1);
}

TEST_F(BackupOperations, ThatTakeTooLongAreCanceled) {
  start({{"itemOperationTimeout", "1ns"}});
  say({.started = system_clock().wall_now()});
  ASSERT_EQ(problem(runner_.wait("b1")), "");
  EXPECT_EQ(status()["phase"].get<std::string>(), "FinalizingPartiallyFailed");
  EXPECT_EQ(answers_.copy().canceled, std::vector<std::string>{"op-a"});
}

TEST_F(BackupOperations, AreCanceledWithTheirBackup) {
  start();
  TestCluster::must(
      cluster_.objects(api::kBackup).patch("b1", kube::PatchType::kMerge, {{"spec", {{"cancel", true}}}}, {}));
  ASSERT_EQ(problem(runner_.wait("b1")), "");
  EXPECT_EQ(status()["phase"].get<std::string>(), "Failed");
  EXPECT_TRUE(status()["canceled"].get<bool>());
  EXPECT_EQ(answers_.copy().canceled, std::vector<std::string>{"op-a"});
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(cluster_.bucket()) / "backups" / "b1" / "b1.tar.gz"));
}

TEST_F(BackupOperations, EndWhenTheirLocationIsGone) {
  start();
  TestCluster::must(cluster_.objects(api::kBackupStorageLocation).remove("default", {}));
  ASSERT_EQ(problem(runner_.wait("b1")), "");
  EXPECT_EQ(status()["phase"].get<std::string>(), "PartiallyFailed");
  EXPECT_THAT(status()["failureReason"].get<std::string>(), HasSubstr("default"));
}

}  // namespace
}  // namespace landfall::control
