#include "control/uploader_repository_manager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/manual_clock.h"
#include "control/test_pod_volumes.h"
#include "control/test_stored_backups.h"

namespace landfall::control {
namespace {

using json::Json;
using std::chrono::hours;
using std::chrono::minutes;
using testing::ElementsAre;

class UploaderRepositories : public testing::Test {
 protected:
  UploaderRepositories() { cluster_.create_location("default"); }
  void create(const std::string& type) {
    cluster_.create(api::kBackupRepository, {{"metadata", {{"name", "shop"}}},
                                             {"spec",
                                              {{"volumeNamespace", "shop"},
                                               {"backupStorageLocation", "default"},
                                               {"repositoryType", type},
                                               {"maintenanceFrequency", "0s"}}}});
  }
  Json reconcile() {
    TestCluster::must(reconciler_.reconcile({"velero", "shop"}, {}));
    return cluster_.get(api::kBackupRepository, "shop");
  }

  TestCluster cluster_;
  ManualClock clock_;
  ScriptedUploader restic_;
  ScriptedUploader kopia_{"kopia", false};
  UploaderRepositoryManager restic_manager_{restic_, find_anywhere()};
  UploaderRepositoryManager kopia_manager_{kopia_, find_anywhere()};
  BackupRepositoryReconciler reconciler_{with_clock(cluster_, clock_), {}, {&restic_manager_, &kopia_manager_}};
};

TEST_F(UploaderRepositories, AreMadeNamedAndMaintainedOnceAWeek) {
  create("restic");
  const Json made = reconcile();
  EXPECT_EQ(made["status"]["phase"], "Ready");
  EXPECT_EQ(made["spec"]["resticIdentifier"], "here:default/restic/shop");
  EXPECT_EQ(made["spec"]["maintenanceFrequency"], "168h0m0s");
  clock_.advance(hours(24 * 7) - minutes(1));
  reconcile();
  EXPECT_THAT(restic_.calls(), ElementsAre("make default/restic/shop"));
  clock_.advance(minutes(1));
  EXPECT_EQ(reconcile()["status"]["recentMaintenance"][0]["result"], "Succeeded");
  EXPECT_THAT(restic_.calls(), ElementsAre("make default/restic/shop", "maintain default/restic/shop"));
}

TEST_F(UploaderRepositories, AreOnlyOpenedWhereNothingIsWritten) {
  patch(cluster_, api::kBackupStorageLocation, "default", {{"spec", {{"accessMode", "ReadOnly"}}}});
  create("restic");
  EXPECT_EQ(reconcile()["status"]["phase"], "Ready");
  clock_.advance(hours(24 * 8));
  reconcile();
  EXPECT_THAT(restic_.calls(), ElementsAre("open default/restic/shop"));
}

TEST_F(UploaderRepositories, OfAnUploaderThatOnlyReadsAreNeitherMadeNorMaintained) {
  create("kopia");
  const Json made = reconcile();
  EXPECT_EQ(made["status"]["phase"], "Ready");
  EXPECT_EQ(made["spec"].value("resticIdentifier", ""), "");
  clock_.advance(hours(24 * 8));
  reconcile();
  EXPECT_THAT(kopia_.calls(), ElementsAre("open default/kopia/shop"));
}

TEST_F(UploaderRepositories, SayWhyTheyAreNotReady) {
  create("restic");
  restic_.answer(fail(Code::kUnauthenticated, "another password"));
  const Json made = reconcile();
  EXPECT_EQ(made["status"]["phase"], "NotReady");
  EXPECT_EQ(made["status"]["message"], "another password");
}

}  // namespace
}  // namespace landfall::control
