#include "control/backup_queue_reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "api/status.h"
#include "control/test_cluster.h"
#include "json/json.h"

namespace landfall::control {
namespace {

using json::Json;
using ::testing::ElementsAre;
using ::testing::Pair;

struct BackupQueueTest : ::testing::Test {
  // Names decide among those of the same second.
  void create(const std::string& name, const Json& spec = Json::object(), const Json& status = Json::object()) {
    cluster.create(api::kBackup, {{"metadata", {{"name", name}}}, {"spec", spec}, {"status", status}});
  }
  void create_in_phase(const std::string& name, const std::string& phase, const std::string& name_space = "*") {
    create(name, {{"includedNamespaces", {name_space}}}, {{"phase", phase}});
  }
  void create_namespace(const std::string& name) {
    cluster.create({"", "v1", "namespaces"}, "", {{"metadata", {{"name", name}}}});
  }
  void patch(const std::string& name, const Json& change) {
    TestCluster::must(cluster.objects(api::kBackup).patch(name, kube::PatchType::kMerge, change, {}));
  }
  std::optional<Duration> reconcile(int concurrent = 1) {
    BackupQueueReconciler reconciler(cluster.context(), {.concurrent_backups = concurrent});
    return TestCluster::must(reconciler.reconcile({"velero", "any"}, {})).again_after;
  }
  // "Queued 2"
  std::map<std::string, std::string> states() {
    std::map<std::string, std::string> all;
    for (const Json& backup : TestCluster::must(cluster.objects(api::kBackup).list({}, {})).items) {
      const auto place = api::status_count(backup, api::field::kQueuePosition);
      all[backup["metadata"]["name"]] =
          api::status_text(backup, api::field::kPhase) + (place == 0 ? "" : " " + std::to_string(place));
    }
    return all;
  }

  TestCluster cluster;
};

TEST_F(BackupQueueTest, StartsOneAtATimeInTheOrderOfTheirArrival) {
  create("b1");
  create("b2", {}, {{"phase", "New"}});
  create("b3");
  EXPECT_EQ(reconcile(), std::chrono::minutes(1));
  EXPECT_THAT(states(), ElementsAre(Pair("b1", "ReadyToStart"), Pair("b2", "Queued 1"), Pair("b3", "Queued 2")));
  reconcile();
  EXPECT_THAT(states(), ElementsAre(Pair("b1", "ReadyToStart"), Pair("b2", "Queued 1"), Pair("b3", "Queued 2")));

  patch("b1", {{"status", {{"phase", "InProgress"}}}});
  create("a0");  // came last, whatever its name
  reconcile();
  EXPECT_THAT(states(), ElementsAre(Pair("a0", "Queued 3"), Pair("b1", "InProgress"), Pair("b2", "Queued 1"),
                                    Pair("b3", "Queued 2")));
  patch("b1", {{"status", {{"phase", "WaitingForPluginOperations"}}}});
  reconcile();
  EXPECT_THAT(states(), ElementsAre(Pair("a0", "Queued 2"), Pair("b1", "WaitingForPluginOperations"),
                                    Pair("b2", "ReadyToStart"), Pair("b3", "Queued 1")));
}

TEST_F(BackupQueueTest, HasNothingMoreToDoWhenNobodyWaits) {
  create("b1");
  EXPECT_EQ(reconcile(), std::nullopt);
  create_in_phase("old", "Completed");
  EXPECT_EQ(reconcile(), std::nullopt);
  EXPECT_THAT(states(), ElementsAre(Pair("b1", "ReadyToStart"), Pair("old", "Completed")));
}

TEST_F(BackupQueueTest, CountsWhatAServerBeforeThisOneHasStarted) {
  create_in_phase("left", "ReadyToStart");
  create("b1");
  reconcile();
  EXPECT_THAT(states(), ElementsAre(Pair("b1", "Queued 1"), Pair("left", "ReadyToStart")));
}

TEST_F(BackupQueueTest, LetsBackupsOfOtherNamespacesPassThoseThatMustWait) {
  for (const char* name : {"shop-a", "shop-b", "bank", "mail"}) create_namespace(name);
  create("b1", {{"includedNamespaces", {"shop-*"}}});
  create("b2", {{"includedNamespaces", {"shop-b"}}});
  create("b3", {{"includedNamespaces", {"bank", "shop-a"}}, {"excludedNamespaces", {"shop-a"}}});
  create("b4", {{"includedNamespaces", {"bank"}}});
  create("b5", {{"includedNamespaces", {"mail"}}});
  reconcile(3);
  EXPECT_THAT(states(), ElementsAre(Pair("b1", "ReadyToStart"), Pair("b2", "Queued 1"), Pair("b3", "ReadyToStart"),
                                    Pair("b4", "Queued 2"), Pair("b5", "ReadyToStart")));
  patch("b1", {{"status", {{"phase", "Completed"}}}});
  reconcile(3);
  EXPECT_THAT(states(), ElementsAre(Pair("b1", "Completed"), Pair("b2", "ReadyToStart"), Pair("b3", "ReadyToStart"),
                                    Pair("b4", "Queued 1"), Pair("b5", "ReadyToStart")));
}

TEST_F(BackupQueueTest, LetsNobodyPassOneThatTakesEverything) {
  create_in_phase("b0", "InProgress", "velero");
  create("b1");
  create_namespace("bank");
  create("b2", {{"includedNamespaces", {"bank"}}});
  reconcile(5);
  EXPECT_THAT(states(), ElementsAre(Pair("b0", "InProgress"), Pair("b1", "Queued 1"), Pair("b2", "Queued 2")));
}

TEST_F(BackupQueueTest, SendsOneThatCannotBeReadOnToBeRefused) {
  create_in_phase("b0", "InProgress");
  create("b1", {{"includedNamespaces", {"a[", "b"}}});
  reconcile(2);
  EXPECT_EQ(states()["b1"], "ReadyToStart");
}

TEST_F(BackupQueueTest, EndsOneThatIsCancelledBeforeItsTurn) {
  create_in_phase("b0", "InProgress");
  create("b1", {{"cancel", true}});
  create("b2", {}, {{"phase", "Queued"}, {"queuePosition", 1}});
  create("b3", {}, {{"phase", "Queued"}, {"queuePosition", 2}});
  patch("b2", {{"spec", {{"cancel", true}}}});
  reconcile();
  EXPECT_THAT(states(), ElementsAre(Pair("b0", "InProgress"), Pair("b1", "Failed"), Pair("b2", "Failed"),
                                    Pair("b3", "Queued 1")));
  const Json canceled = cluster.get(api::kBackup, "b2");
  EXPECT_TRUE(api::is_canceled(canceled));
  EXPECT_EQ(api::status_text(canceled, api::field::kFailureReason), api::kCanceledReason);
  EXPECT_TRUE(api::status_time(canceled, api::field::kCompletionTimestamp));
}

TEST_F(BackupQueueTest, ClosesTheGapThatADeletedOneLeaves) {
  create_in_phase("b0", "InProgress");
  create("b2", {}, {{"phase", "Queued"}, {"queuePosition", 4}});
  create("b1", {}, {{"phase", "Queued"}, {"queuePosition", 7}});
  reconcile();
  EXPECT_THAT(states(), ElementsAre(Pair("b0", "InProgress"), Pair("b1", "Queued 2"), Pair("b2", "Queued 1")));
}

}  // namespace
}  // namespace landfall::control
