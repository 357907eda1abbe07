#include "control/backup_repository_reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/manual_clock.h"
#include "control/test_stored_backups.h"

namespace landfall::control {
namespace {

using json::Json;
using std::chrono::hours;
using std::chrono::minutes;
using ::testing::HasSubstr;

class FakeManager final : public RepositoryManager {
 public:
  std::string type() const override { return "kopia"; }
  Duration maintenance_frequency() const override { return hours(1); }
  Result<std::string> prepare(const Json& /*repository*/, const FoundLocation& /*location*/, IfMissing if_missing,
                              const std::stop_token& /*stop*/) override {
    ++prepared;
    if (!exists && if_missing == IfMissing::kFail) return fail(Code::kNotFound, "there is no repository");
    if (!result) return fail("", result.error());
    exists = true;
    return std::string("s3:https://host/bucket/restic/shop");
  }
  Status maintain(const Json& /*repository*/, const FoundLocation& /*location*/,
                  const std::stop_token& /*stop*/) override {
    ++maintained;
    return result;
  }
  bool exists = false;
  int prepared = 0;
  int maintained = 0;
  Status result;
};

// The clock stands at 2030-01-01T00:00:00Z.
struct RepositoryTest : ::testing::Test {
  RepositoryTest() { cluster.create_location("default"); }

  void create(const std::string& type = "kopia") {
    cluster.create(api::kBackupRepository, {{"metadata", {{"name", "shop"}}},
                                            {"spec",
                                             {{"volumeNamespace", "shop"},
                                              {"backupStorageLocation", "default"},
                                              {"repositoryType", type},
                                              {"maintenanceFrequency", "0s"}}}});
  }
  std::optional<Duration> reconcile() {
    return TestCluster::must(reconciler.reconcile({"velero", "shop"}, {})).again_after;
  }
  Json status() { return cluster.get(api::kBackupRepository, "shop")["status"]; }

  TestCluster cluster;
  StoredBackups bucket{cluster};
  ManualClock clock;
  FakeManager manager;
  BackupRepositoryReconciler reconciler{with_clock(cluster, clock), {}, {&manager}};
};

TEST_F(RepositoryTest, SaysThatThereIsNoUploaderForIt) {
  create("");
  EXPECT_EQ(reconcile(), std::nullopt);
  EXPECT_EQ(status(), (Json{{"phase", "NotReady"},
                            {"message", "this server has no uploader for repositories of type \"restic\""}}));
}

TEST_F(RepositoryTest, PreparesAndMaintainsItAtItsFrequency) {
  create();
  EXPECT_EQ(reconcile(), minutes(5));
  EXPECT_EQ(status(), (Json{{"phase", "Ready"}, {"lastMaintenanceTime", "2030-01-01T00:00:00Z"}}));
  EXPECT_EQ(cluster.get(api::kBackupRepository, "shop")["spec"]["maintenanceFrequency"], "1h0m0s");
  EXPECT_EQ(cluster.get(api::kBackupRepository, "shop")["spec"]["resticIdentifier"],
            "s3:https://host/bucket/restic/shop");

  clock.advance(minutes(58));
  EXPECT_EQ(reconcile(), minutes(2));
  EXPECT_EQ(manager.maintained, 0);
  clock.advance(minutes(2));
  reconcile();

  EXPECT_EQ(manager.maintained, 1);
  EXPECT_EQ(manager.prepared, 1);
  EXPECT_EQ(status()["lastMaintenanceTime"], "2030-01-01T01:00:00Z");
  EXPECT_EQ(status()["recentMaintenance"], Json::array({{{"result", "Succeeded"},
                                                         {"startTimestamp", "2030-01-01T01:00:00Z"},
                                                         {"completeTimestamp", "2030-01-01T01:00:00Z"}}}));
  EXPECT_THAT(cluster.metrics().text(), HasSubstr("velero_repo_maintenance_success_total{repository_name=\"shop\"} 1"));
}

TEST_F(RepositoryTest, TriesAgainWhatFailed) {
  create();
  manager.result = fail(Code::kUnavailable, "no route to host");
  EXPECT_EQ(reconcile(), minutes(5));
  EXPECT_EQ(status(), (Json{{"phase", "NotReady"}, {"message", "no route to host"}}));

  manager.result = {};
  reconcile();
  EXPECT_EQ(status()["phase"], "Ready");
  EXPECT_FALSE(status().contains("message"));

  clock.advance(hours(1));
  manager.result = fail(Code::kUnavailable, "no route to host");
  for (int i = 0; i < 30; ++i) EXPECT_EQ(reconcile(), minutes(5));
  EXPECT_EQ(status()["phase"], "Ready");
  EXPECT_EQ(status()["lastMaintenanceTime"], "2030-01-01T00:00:00Z");
  EXPECT_EQ(status()["recentMaintenance"].size(), 25U);
  EXPECT_EQ(status()["recentMaintenance"][24]["message"], "no route to host");
}

TEST_F(RepositoryTest, NeitherCreatesNorMaintainsInAReadOnlyLocation) {
  patch(cluster, api::kBackupStorageLocation, "default", {{"spec", {{"accessMode", "ReadOnly"}}}});
  create();
  reconcile();
  EXPECT_EQ(status()["message"], "there is no repository");

  manager.exists = true;
  reconcile();
  EXPECT_EQ(status()["phase"], "Ready");
  clock.advance(hours(2));
  reconcile();
  EXPECT_EQ(manager.maintained, 0);
}

TEST_F(RepositoryTest, PreparesItAgainWhenItsLocationHasMoved) {
  create();
  reconcile();
  patch(cluster, api::kBackupStorageLocation, "default", {{"spec", {{"objectStorage", {{"prefix", "new"}}}}}});
  manager.result = fail(Code::kForbidden, "access denied");
  reconcile();
  EXPECT_EQ(status()["phase"], "NotReady");
  manager.result = {};
  reconcile();
  EXPECT_EQ(status()["phase"], "Ready");
  EXPECT_EQ(manager.prepared, 3);
}

TEST_F(RepositoryTest, IsNotReadyWithoutItsLocation) {
  TestCluster::must(cluster.objects(api::kBackupStorageLocation).remove("default", {}));
  create();
  EXPECT_EQ(reconcile(), minutes(5));
  EXPECT_EQ(status()["phase"], "NotReady");
  EXPECT_THAT(status()["message"], HasSubstr("\"default\""));
}

}  // namespace
}  // namespace landfall::control
