// Item actions of a plugin in a server: their operations are waited for over processes that come and go.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "base/random.h"
#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "sandbox/server.h"
#include "sandbox_world/test_sandbox_client.h"
#include "sandbox_world/world.h"
#include "stories/patience.h"
#include "stories/stage.h"
#include "testkit/temp_dir.h"

namespace landfall::stories {
namespace {

namespace fs = std::filesystem;
using json::Json;
using testing::HasSubstr;

fs::path made(const fs::path& directory) {
  fs::create_directories(directory);
  return directory;
}

class PluginActions : public testing::Test {
 protected:
  PluginActions() {
    world_.start();
    fs::create_symlink(fs::canonical("/proc/self/exe").parent_path() / "story_plugin",
                       made(directory_.path() / "plugins") / "story_plugin");
    server::ServerOptions options;
    options.plugin_dir = directory_.path() / "plugins";
    options.store_validation_frequency = std::chrono::milliseconds(500);
    options.item_operation_sync_frequency = std::chrono::milliseconds(100);
    stage_ = std::make_unique<Stage>(
        *client_, Stage::Settings{.bucket = made(directory_.path() / "bucket"),
                                  .options = options,
                                  .environment = Environment({{"STORY_DIRECTORY", made(diary_).string()}})});
    must(kube::Resource(*client_, {"", "v1", "namespaces"}).create({{"metadata", {{"name", "shop"}}}}, {}));
    must(kube::Resource(*client_, {"", "v1", "configmaps"}, "shop")
             .create({{"metadata", {{"name", "prices"}, {"labels", {{"story", "yes"}}}}}, {"data", {{"book", "12"}}}},
                     {}));
  }

  void decide(const std::string& what) const { std::ofstream(diary_ / what).close(); }
  bool wrote(const std::string& what) const { return fs::exists(diary_ / what); }
  std::string log() const { return stage_->server().error() + "\n" + stage_->server().log(); }
  bool is(const api::Kind& kind, const std::string& name, const std::string& phase) const {
    return soon([&] { return stage_->phase(kind, name) == phase; });
  }
  Json status(const api::Kind& kind, const std::string& name) const {
    return must(stage_->objects(kind).get(name, {}))["status"];
  }
  static Json of_shop() { return {{"includedNamespaces", {"shop"}}}; }

  const testkit::TempDir directory_;
  const fs::path diary_ = directory_.path() / "diary";
  std::unique_ptr<sandbox::Sandbox> sandbox_ =
      sandbox::Sandbox::start({.tls = false}, system_clock(), system_random(), Logger()).value();
  sandbox::World world_{*sandbox_, {.workloads = false}, system_clock(), Logger()};
  sandbox::SandboxClient client_{*sandbox_};
  std::unique_ptr<Stage> stage_;  // last: its server ends first
};

TEST_F(PluginActions, OfABackupAndARestoreAreWaitedForAndSeeTheirDeletion) {
  stage_->create(api::kBackup, "b", of_shop());
  ASSERT_TRUE(is(api::kBackup, "b", "WaitingForPluginOperations")) << log();
  EXPECT_TRUE(wrote("related-prices")) << "blocks are asked for";
  EXPECT_EQ(status(api::kBackup, "b")["backupItemOperationsAttempted"], 1);
  // What a plugin logs comes by another way than its answers.
  EXPECT_TRUE(soon([&] { return contains(log(), "The story begins"); })) << log();
  decide("backup-ends");
  ASSERT_TRUE(is(api::kBackup, "b", "Completed")) << log();
  EXPECT_EQ(status(api::kBackup, "b")["backupItemOperationsCompleted"], 1);
  const Json operations = stage_->document("b", bucket::BackupArtifact::kItemOperations);
  ASSERT_EQ(operations.size(), 1U);
  EXPECT_EQ(operations[0]["status"]["phase"], "Completed") << operations;
  EXPECT_EQ(operations[0]["status"]["nCompleted"], 4) << operations;

  stage_->create(api::kRestore, "r", {{"backupName", "b"}, {"namespaceMapping", {{"shop", "copy"}}}});
  ASSERT_TRUE(is(api::kRestore, "r", "WaitingForPluginOperations")) << log();
  decide("restore-ends");
  ASSERT_TRUE(is(api::kRestore, "r", "Completed")) << log();
  EXPECT_EQ(status(api::kRestore, "r")["restoreItemOperationsCompleted"], 1);
  EXPECT_EQ(must(kube::Resource(*client_, {"", "v1", "configmaps"}, "copy").get("prices", {}))["data"]["told"], "yes");

  stage_->create(api::kDeleteBackupRequest, "gone", {{"backupName", "b"}});
  ASSERT_TRUE(soon([&] { return !stage_->exists(api::kBackup, "b"); })) << log();
  EXPECT_TRUE(wrote("deleted-prices"));
}

TEST_F(PluginActions, WhoseOperationFailsFailTheirBackupInPart) {
  decide("backup-fails");
  EXPECT_EQ(stage_->back_up("b", of_shop())["status"]["phase"], "PartiallyFailed") << log();
  const Json operations = stage_->document("b", bucket::BackupArtifact::kItemOperations);
  ASSERT_EQ(operations.size(), 1U);
  EXPECT_THAT(operations.dump(), HasSubstr("the paper is out"));
}

TEST_F(PluginActions, AreToldWhenTheirBackupIsCanceled) {
  stage_->create(api::kBackup, "b", of_shop());
  ASSERT_TRUE(is(api::kBackup, "b", "WaitingForPluginOperations")) << log();
  must(stage_->objects(api::kBackup).patch("b", kube::PatchType::kMerge, {{"spec", {{"cancel", true}}}}, {}));
  EXPECT_TRUE(soon([&] { return wrote("backup-canceled-prices"); })) << log();
}

TEST_F(PluginActions, AreWaitedForByTheNextServer) {
  stage_->create(api::kBackup, "b", of_shop());
  ASSERT_TRUE(is(api::kBackup, "b", "WaitingForPluginOperations")) << log();
  stage_->restart_server();
  decide("backup-ends");
  EXPECT_TRUE(is(api::kBackup, "b", "Completed")) << log();
}

}  // namespace
}  // namespace landfall::stories
