#include "control/gc_reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/manual_clock.h"
#include "control/test_stored_backups.h"

namespace landfall::control {
namespace {

using json::Json;
using std::chrono::minutes;
using ::testing::SizeIs;

// The clock stands at 2030-01-01T00:00:00Z.
struct GcTest : ::testing::Test {
  GcTest() { cluster.create_location("default"); }

  Json create(const std::string& expiration, const std::string& phase = "Completed") {
    return cluster.create(api::kBackup, {{"metadata", {{"name", "nightly"}}},
                                         {"spec", {{"storageLocation", "default"}}},
                                         {"status", {{"phase", phase}, {"expiration", expiration}}}});
  }
  std::optional<Duration> reconcile() { return TestCluster::must(gc.reconcile({"velero", "nightly"}, {})).again_after; }
  Json failure() { return cluster.get(api::kBackup, "nightly")["metadata"]["labels"]["velero.io/gc-failure"]; }
  std::vector<Json> requests() {
    return TestCluster::must(cluster.objects(api::kDeleteBackupRequest).list({}, {})).items;
  }
  void patch_location(const Json& change) { patch(cluster, api::kBackupStorageLocation, "default", change); }

  TestCluster cluster;
  StoredBackups bucket{cluster};
  ManualClock clock;
  GcReconciler gc{with_clock(cluster, clock), {}};
};

TEST_F(GcTest, LooksAgainWhenTheBackupExpiresOrSooner) {
  create("2030-01-01T00:10:00Z");
  EXPECT_EQ(reconcile(), minutes(10));
  patch(cluster, api::kBackup, "nightly", {{"status", {{"expiration", "2030-02-01T00:00:00Z"}}}});
  EXPECT_EQ(reconcile(), minutes(60));
  EXPECT_THAT(requests(), SizeIs(0));
}

TEST_F(GcTest, RequestsTheDeletionOfAnExpiredBackupOnce) {
  const Json backup = create("2029-12-31T00:00:00Z");

  EXPECT_EQ(reconcile(), minutes(60));
  EXPECT_EQ(reconcile(), minutes(60));

  ASSERT_THAT(requests(), SizeIs(1));
  const Json request = requests()[0];
  EXPECT_EQ(request["spec"]["backupName"], "nightly");
  EXPECT_EQ(request["metadata"]["labels"]["velero.io/backup-name"], "nightly");
  EXPECT_EQ(request["metadata"]["labels"]["velero.io/backup-uid"], backup["metadata"]["uid"]);
  EXPECT_TRUE(request["metadata"]["name"].get<std::string>().starts_with("nightly-"));
}

TEST_F(GcTest, RequestsItAgainAfterADeletionThatFailed) {
  create("2029-12-31T00:00:00Z", "Deleting");
  reconcile();
  patch(cluster, api::kDeleteBackupRequest, requests()[0]["metadata"]["name"], {{"status", {{"phase", "Processed"}}}});

  reconcile();

  EXPECT_THAT(requests(), SizeIs(2));
}

TEST_F(GcTest, SaysInALabelWhyItCannotAndTakesThatBack) {
  create("2029-12-31T00:00:00Z");
  patch_location({{"spec", {{"accessMode", "ReadOnly"}}}});
  EXPECT_EQ(reconcile(), minutes(60));
  EXPECT_EQ(failure(), "BSLReadOnly");

  patch_location({{"spec", {{"accessMode", nullptr}, {"backupSyncPeriod", "soon"}}}});
  EXPECT_FALSE(gc.reconcile({"velero", "nightly"}, {}));
  EXPECT_EQ(failure(), "BSLCannotGet");

  TestCluster::must(cluster.objects(api::kBackupStorageLocation).remove("default", {}));
  reconcile();
  EXPECT_EQ(failure(), "BSLNotFound");
  EXPECT_THAT(requests(), SizeIs(0));

  cluster.create_location("default");
  reconcile();
  EXPECT_TRUE(failure().is_null());
  EXPECT_THAT(requests(), SizeIs(1));
}

TEST_F(GcTest, WaitsForALocationThatIsUnavailableAndForABackupThatRuns) {
  create("2029-12-31T00:00:00Z");
  patch_location({{"status", {{"phase", "Unavailable"}}}});
  EXPECT_EQ(reconcile(), minutes(1));
  patch_location({{"status", {{"phase", "Available"}}}});
  {
    const auto running = cluster.running().begin(api::kBackup, "nightly", nullptr, {});
    EXPECT_EQ(reconcile(), minutes(60));
  }
  EXPECT_THAT(requests(), SizeIs(0));
}

}  // namespace
}  // namespace landfall::control
