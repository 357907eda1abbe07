#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "api/status.h"
#include "control/backup_queue_reconciler.h"
#include "control/test_cluster.h"
#include "json/json.h"

namespace landfall::control {
namespace {

TEST(BackupQueue, StartsNoMoreThanItMayWhenItIsCalledFromSeveralThreads) {
  const TestCluster cluster;
  for (int i = 0; i < 6; ++i) {
    const std::string name = "b" + std::to_string(i);
    cluster.create({"", "v1", "namespaces"}, "", {{"metadata", {{"name", name}}}});
    cluster.create(api::kBackup, {{"metadata", {{"name", name}}}, {"spec", {{"includedNamespaces", {name}}}}});
  }
  BackupQueueReconciler reconciler(cluster.context(), {.concurrent_backups = 2});
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 6; ++i) {
      threads.emplace_back([&, i] { EXPECT_TRUE(reconciler.reconcile({"velero", "b" + std::to_string(i)}, {})); });
    }
  }
  std::vector<std::string> states;
  for (const json::Json& backup : TestCluster::must(cluster.objects(api::kBackup).list({}, {})).items) {
    states.push_back(api::status_text(backup, api::field::kPhase) +
                     std::to_string(api::status_count(backup, api::field::kQueuePosition)));
  }
  EXPECT_THAT(states,
              ::testing::ElementsAre("ReadyToStart0", "ReadyToStart0", "Queued1", "Queued2", "Queued3", "Queued4"));
}

}  // namespace
}  // namespace landfall::control
