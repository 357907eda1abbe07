#include "control/backup_sync_reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/manual_clock.h"
#include "control/synced_objects.h"
#include "control/test_stored_backups.h"

namespace landfall::control {
namespace {

using bucket::Form;
using json::Json;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class Lines final : public LogSink {
 public:
  void write(const LogEntry& entry) override { errors += entry.level >= LogLevel::kError ? 1 : 0; }
  int errors = 0;
};

// The clock stands at 2030-01-01T00:00:00Z.
struct SyncTest : ::testing::Test {
  SyncTest() { cluster.create_location("default"); }

  // A whole period later.
  std::optional<Duration> sync() {
    clock.advance(minutes(1));
    return TestCluster::must(reconciler.reconcile({"velero", "default"}, {})).again_after;
  }
  std::vector<std::string> backups() { return names_of(cluster, api::kBackup); }
  Json backup(const std::string& name) { return cluster.get(api::kBackup, name); }
  Json create_backup(const std::string& name, const std::string& phase, const std::string& location = "default") {
    return cluster.create(api::kBackup,
                          {{"metadata", {{"name", name}, {"labels", {{"velero.io/storage-location", location}}}}},
                           {"spec", {{"storageLocation", location}}},
                           {"status", {{"phase", phase}}}});
  }

  TestCluster cluster;
  StoredBackups bucket{cluster};
  ManualClock clock;
  std::shared_ptr<Lines> lines = std::make_shared<Lines>();
  BackupSyncReconciler reconciler{with_clock(cluster, clock, Logger(clock, lines)), {}};
};

TEST_F(SyncTest, TakesOverWhatVeleroWrote) {
  bucket.load("velero-1.18.3");

  EXPECT_EQ(sync(), minutes(1));

  EXPECT_THAT(backups(), ElementsAre("bookshop", "by-label"));
  const Json taken = backup("bookshop");
  EXPECT_EQ(taken["status"]["phase"], "PartiallyFailed");
  EXPECT_EQ(taken["status"]["progress"], (Json{{"totalItems", 70}, {"itemsBackedUp", 70}}));
  EXPECT_EQ(taken["metadata"]["annotations"]["velero.io/source-cluster-k8s-gitversion"], "v1.34.4");
  EXPECT_FALSE(taken["metadata"]["annotations"].contains(kSyncIncomplete));
  EXPECT_NE(taken["metadata"]["uid"], "d6963d45-4e8c-4ae8-995f-4ece1397e466");
  EXPECT_EQ(cluster.get(api::kBackupStorageLocation, "default")["status"]["lastSyncedTime"], "2030-01-01T00:01:00Z");
}

TEST_F(SyncTest, TakesOverTheVolumeBackupsOfABackup) {
  bucket.load("velero-1.18.3-volumes");
  bucket.write_json("backups/books-fs/books-fs-volumepluginbackups.json.gz",
                    Json::array({{{"metadata", {{"name", "vpb-1"}, {"finalizers", {"example.com/stay"}}}},
                                  {"spec", {{"backup", "books-fs"}, {"plugin", "example.com/x"}, {"volume", "pv-1"}}},
                                  {"status", {{"phase", "Copied"}, {"snapshotID", "s-1"}}}}}),
                    Form::kGzipJson);
  sync();

  const std::string uid = backup("books-fs")["metadata"]["uid"];
  const Json pod = cluster.get(api::kPodVolumeBackup, "books-fs-9pfdg");
  EXPECT_EQ(pod["metadata"]["labels"]["velero.io/backup-uid"], uid);
  EXPECT_EQ(pod["metadata"]["ownerReferences"][0]["uid"], uid);
  EXPECT_EQ(pod["status"]["snapshotID"], "e922127fd3efe358ae3158d3a5517c94");
  EXPECT_EQ(pod["spec"]["backupStorageLocation"], "default");
  const Json plugin = cluster.get(api::kVolumePluginBackup, "vpb-1");
  EXPECT_EQ(plugin["status"]["phase"], "Copied");
  EXPECT_EQ(plugin["metadata"]["ownerReferences"][0]["uid"], uid);
  EXPECT_FALSE(plugin["metadata"].contains("finalizers"));
}

TEST_F(SyncTest, TakesASnapshotOverThatWasGivenUpWhileItWentOn) {
  bucket.write_backup(stored_backup("nightly", "PartiallyFailed"));
  bucket.write_json("backups/nightly/nightly-volumepluginbackups.json.gz",
                    Json::array({{{"metadata", {{"name", "vpb-1"}}},
                                  {"spec", {{"backup", "nightly"}, {"plugin", "example.com/x"}, {"volume", "pv-1"}}},
                                  {"status", {{"phase", "InProgress"}, {"snapshotID", "s-1"}}}}}),
                    Form::kGzipJson);
  sync();
  EXPECT_EQ(cluster.get(api::kVolumePluginBackup, "vpb-1")["status"]["phase"], "InProgress");
}

TEST(Sync, DoesWithoutKindsThatVelerosInstallationsLack) {
  TestCluster cluster(TestCluster::Kinds::kVeleros);
  cluster.create_location("default");
  const StoredBackups bucket(cluster);
  bucket.write_backup(stored_backup("nightly"));
  bucket.write_json("backups/nightly/nightly-volumepluginbackups.json.gz",
                    Json::array({{{"metadata", {{"name", "vpb-1"}}}, {"status", {{"phase", "Completed"}}}}}),
                    Form::kGzipJson);
  BackupSyncReconciler reconciler(cluster.context(), {});
  TestCluster::must(reconciler.reconcile({"velero", "default"}, {}));
  EXPECT_FALSE(cluster.get(api::kBackup, "nightly")["metadata"].contains("annotations"));
}

TEST_F(SyncTest, GoesOnPastABackupThatIsDamagedAndTakesItOnceItIsWhole) {
  bucket.write("backups/a/velero-backup.json", "{\"kind\": \"Backup\"");
  bucket.write_json("backups/b/velero-backup.json", stored_backup("another-name"));
  bucket.write("backups/c/c-logs.gz", "not finished");
  bucket.write("backups/Not_A_Name/velero-backup.json", "{}");
  bucket.write_backup(stored_backup("d"));

  sync();
  EXPECT_THAT(backups(), ElementsAre("d"));
  EXPECT_EQ(lines->errors, 3);

  bucket.write_backup(stored_backup("a"));
  sync();
  EXPECT_THAT(backups(), ElementsAre("a", "d"));
}

TEST_F(SyncTest, ReadsNoBackupThatIsHereAlready) {
  bucket.write_backup(stored_backup("nightly"));
  sync();
  bucket.write("backups/nightly/velero-backup.json", "rust");
  bucket.write("backups/nightly/nightly-podvolumebackups.json.gz", "rust");
  sync();
  EXPECT_EQ(lines->errors, 0);
  EXPECT_THAT(backups(), ElementsAre("nightly"));
}

TEST_F(SyncTest, TakesNothingThatWouldMakeTheServerWork) {
  int number = 0;
  for (const char* const phase : {"New", "Queued", "ReadyToStart", "InProgress", "Deleting", "", "Sideways"}) {
    bucket.write_backup(stored_backup("b" + std::to_string(number++), phase));
  }
  bucket.write_json("backups/pods/pods-podvolumebackups.json.gz",
                    Json::array({{{"metadata", {{"name", "pvb"}}}, {"status", {{"phase", "New"}}}}, 3}),
                    Form::kGzipJson);
  bucket.write_backup(stored_backup("pods"));
  sync();

  EXPECT_THAT(backups(), ElementsAre("pods"));
  EXPECT_THAT(names_of(cluster, api::kPodVolumeBackup), IsEmpty());
  EXPECT_EQ(backup("pods")["metadata"]["annotations"][kSyncIncomplete], "true") << "3 is no volume backup";
}

TEST_F(SyncTest, TakesOnlyWhatBelongsHereOfTheMetadata) {
  Json stored = stored_backup("nightly");
  stored["metadata"].update({{"uid", "u-1"},
                             {"resourceVersion", "17"},
                             {"generateName", "x-"},
                             {"finalizers", {"example.com/stay"}},
                             {"deletionTimestamp", "2029-01-01T00:00:00Z"},
                             {"labels", {{"velero.io/storage-location", "another"}, {"team", "books"}}}});
  bucket.write_backup(stored);
  sync();

  const Json taken = backup("nightly");
  EXPECT_EQ(taken["metadata"]["labels"], (Json{{"velero.io/storage-location", "default"}, {"team", "books"}}));
  EXPECT_EQ(taken["metadata"]["namespace"], "velero");
  EXPECT_EQ(taken["spec"]["storageLocation"], "default");
  for (const char* const field : {"finalizers", "deletionTimestamp", "generateName"}) {
    EXPECT_FALSE(taken["metadata"].contains(field)) << field;
  }
}

TEST_F(SyncTest, KeepsAScheduleAsOwnerOnlyIfItIsTheSameHere) {
  const Json schedule = cluster.create(
      api::kSchedule,
      {{"metadata", {{"name", "nightly"}}}, {"spec", {{"schedule", "@daily"}, {"template", Json::object()}}}});
  const auto owner = [](const char* kind, const std::string& name, const std::string& uid) {
    return Json{{"apiVersion", "velero.io/v1"}, {"kind", kind}, {"name", name}, {"uid", uid}, {"controller", true}};
  };
  Json stored = stored_backup("nightly-1");
  stored["metadata"]["ownerReferences"] = {owner("Schedule", "nightly", schedule["metadata"]["uid"]),
                                           owner("Schedule", "nightly", "u-1"), owner("Schedule", "gone", "u-2"),
                                           owner("BackupRepository", "x", "u-3")};
  bucket.write_backup(stored);
  sync();

  const Json owners = backup("nightly-1")["metadata"]["ownerReferences"];
  ASSERT_EQ(owners.size(), 1U);
  EXPECT_EQ(owners[0]["uid"], schedule["metadata"]["uid"]);
}

TEST_F(SyncTest, WaitsForAnotherServersOperationsUntilTheBackupHasExpired) {
  Json stored = stored_backup("nightly", "WaitingForPluginOperations");
  stored["status"]["expiration"] = "2030-01-01T00:01:30Z";
  bucket.write_backup(stored);
  sync();
  EXPECT_THAT(backups(), IsEmpty());

  sync();
  EXPECT_EQ(backup("nightly")["status"]["phase"], "PartiallyFailed");
}

TEST_F(SyncTest, RemovesOnlyFinishedBackupsOfThisLocationThatHaveVanished) {
  create_backup("gone", "Completed");
  create_backup("half", "PartiallyFailed");
  create_backup("running", "InProgress");
  create_backup("deleting", "Deleting");
  create_backup("failed", "Failed");
  create_backup("elsewhere", "Completed", "another");
  create_backup("busy", "Completed");
  create_backup("kept", "Completed");
  bucket.write_backup(stored_backup("kept"));
  const auto busy = cluster.running().begin(api::kBackup, "busy", nullptr, {});
  sync();

  EXPECT_THAT(backups(), UnorderedElementsAre("running", "deleting", "failed", "elsewhere", "busy", "kept"));
}

TEST_F(SyncTest, RemovesNothingWhenTheBucketCannotBeListed) {
  create_backup("nightly", "Completed");
  std::filesystem::remove(cluster.bucket());
  clock.advance(minutes(1));

  EXPECT_FALSE(reconciler.reconcile({"velero", "default"}, {}));

  EXPECT_THAT(backups(), ElementsAre("nightly"));
  EXPECT_FALSE(cluster.get(api::kBackupStorageLocation, "default")["status"].contains("lastSyncedTime"));
}

TEST_F(SyncTest, DoesNotBringBackWhatIsBeingDeleted) {
  bucket.write_backup(stored_backup("nightly"));
  cluster.create(api::kDeleteBackupRequest, {{"metadata", {{"name", "r"}}}, {"spec", {{"backupName", "nightly"}}}});
  sync();
  EXPECT_THAT(backups(), IsEmpty());

  patch(cluster, api::kDeleteBackupRequest, "r", {{"status", {{"phase", "Processed"}}}});
  sync();
  EXPECT_THAT(backups(), ElementsAre("nightly"));
}

TEST_F(SyncTest, CompletesABackupThatACrashLeftWithoutItsVolumeBackups) {
  bucket.load("velero-1.18.3-volumes");
  create_backup("books-fs", "Completed");
  patch(cluster, api::kBackup, "books-fs", {{"metadata", {{"annotations", {{kSyncIncomplete, "true"}}}}}});
  sync();

  EXPECT_THAT(names_of(cluster, api::kPodVolumeBackup), ElementsAre("books-fs-9pfdg"));
  EXPECT_FALSE(backup("books-fs")["metadata"].contains("annotations"));
}

TEST_F(SyncTest, KeepsToThePeriodOfTheLocation) {
  patch(cluster, api::kBackupStorageLocation, "default", {{"spec", {{"backupSyncPeriod", "10m"}}}});
  EXPECT_EQ(sync(), minutes(10));
  bucket.write_backup(stored_backup("late"));
  EXPECT_EQ(sync(), minutes(9));
  EXPECT_THAT(backups(), IsEmpty());

  patch(cluster, api::kBackupStorageLocation, "default", {{"spec", {{"backupSyncPeriod", "0s"}}}});
  clock.advance(minutes(60));
  EXPECT_EQ(sync(), std::nullopt);

  patch(cluster, api::kBackupStorageLocation, "default",
        {{"spec", {{"backupSyncPeriod", nullptr}}}, {"status", {{"phase", "Unavailable"}}}});
  EXPECT_EQ(sync(), minutes(1));
  EXPECT_THAT(backups(), IsEmpty());
}

}  // namespace
}  // namespace landfall::control
