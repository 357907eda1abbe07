#include <gtest/gtest.h>

#include <string>

#include "control/test_backup_runner.h"

namespace landfall::control {
namespace {

using json::Json;

// Many workers, and objects that several others ask for at once.
TEST(BackupRunThreads, EveryObjectIsInOnce) {
  TestCluster cluster;
  cluster.create_location("default");
  cluster.create_namespace("shop");
  cluster.create({"scheduling.k8s.io", "v1", "priorityclasses"}, "", {{"metadata", {{"name", "high"}}}, {"value", 5}});
  cluster.create({"rbac.authorization.k8s.io", "v1", "clusterroles"}, "",
                 {{"metadata", {{"name", "reader"}}}, {"rules", Json::array()}});
  Json subjects = Json::array();
  for (int i = 0; i < 30; ++i) {
    const std::string number = std::to_string(i);
    cluster.create({"", "v1", "configmaps"}, "shop", {{"metadata", {{"name", "map-" + number}}}});
    cluster.create({"", "v1", "serviceaccounts"}, "shop", {{"metadata", {{"name", "robot-" + number}}}});
    subjects.push_back({{"kind", "ServiceAccount"}, {"name", "robot-" + number}, {"namespace", "shop"}});
    cluster.create(
        {"", "v1", "persistentvolumeclaims"}, "shop",
        {{"metadata", {{"name", "claim-" + number}}},
         {"spec", {{"accessModes", {"ReadWriteMany"}}, {"resources", {{"requests", {{"storage", "1Gi"}}}}}}}});
    const Json volume = {{"name", "v"}, {"persistentVolumeClaim", {{"claimName", "claim-" + std::to_string(i / 3)}}}};
    cluster.create({"", "v1", "pods"}, "shop",
                   {{"metadata", {{"name", "pod-" + number}, {"labels", {{"app", "x"}}}}},
                    {"spec",
                     {{"priorityClassName", "high"},
                      {"containers", {{{"name", "c"}, {"image", "busybox"}}}},
                      {"volumes", Json::array({volume})}}}});
  }
  cluster.create({"rbac.authorization.k8s.io", "v1", "clusterrolebindings"}, "",
                 {{"metadata", {{"name", "readers"}}},
                  {"roleRef", {{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "ClusterRole"}, {"name", "reader"}}},
                  {"subjects", subjects}});

  BackupSettings settings = TestBackupRunner::built_in();
  settings.workers = 8;
  TestBackupRunner runner(cluster, settings);
  const Json backup = runner.back_up("b1", {{"includedNamespaces", {"shop"}}});

  // 30 of each of four kinds, the namespace and what it has from its birth, the priority class, the binding and its
  // role.
  EXPECT_EQ(runner.items("b1").size(), 126U);
  EXPECT_EQ(backup["status"]["progress"]["totalItems"].get<int>(), 126);
  EXPECT_EQ(backup["status"]["progress"]["itemsBackedUp"].get<int>(), 126);
  EXPECT_EQ(backup["status"]["phase"].get<std::string>(), "Completed");
  EXPECT_TRUE(runner.verify("b1").is_whole());
}

}  // namespace
}  // namespace landfall::control
