#include "control/backup_deletion_reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/manual_clock.h"
#include "control/test_stored_backups.h"

namespace landfall::control {
namespace {

using bucket::Form;
using json::Json;
using std::chrono::hours;
using std::chrono::milliseconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class FakeCleanup final : public BackupCleanup {
 public:
  explicit FakeCleanup(VolumeData data) : data_(data) {}
  std::string name() const override { return "fake"; }
  bool handles(VolumeData data) const override { return data == data_; }
  Status check(const Json& /*backup*/, bucket::BackupStore& /*store*/, const std::stop_token& /*stop*/) override {
    return can;
  }
  Status clean(const Json& backup, bucket::BackupStore& store, const std::stop_token& stop) override {
    ++calls;
    had_folder = store.files(backup["metadata"]["name"].get<std::string>(), stop).value().size() > 1;
    return result;
  }
  int calls = 0;
  bool had_folder = false;
  Status can;
  Status result;

 private:
  VolumeData data_;
};

class FakeAction final : public extension::DeleteItemAction {
 public:
  std::string name() const override { return "example.com/sweeper"; }
  extension::ActionScope scope() const override { return what; }
  Status execute(const Json& item, const Json& /*backup*/, const std::stop_token& /*stop*/) override {
    const Json& metadata = item["metadata"];
    seen.push_back(item["kind"].get<std::string>() + " " + metadata.value("namespace", "") + "/" +
                   metadata["name"].get<std::string>());
    return result;
  }
  extension::ActionScope what;
  std::vector<std::string> seen;
  Status result;
};

struct DeletionTest : ::testing::Test {
  DeletionTest() { cluster.create_location("default"); }

  // A Backup that is in the bucket as well.
  Json create_backup(const std::string& phase = "Completed", const std::string& name = "nightly") {
    bucket.write_backup(stored_backup(name));
    bucket.write("backups/" + name + "/" + name + "-logs.gz", "x");
    return create_object(phase, name);
  }
  Json create_object(const std::string& phase, const std::string& name) {
    Json backup = stored_backup(name, phase);
    backup["metadata"]["labels"] = {{"velero.io/schedule-name", "daily"}};
    backup["spec"]["storageLocation"] = "default";
    return cluster.create(api::kBackup, backup);
  }
  void create_request(const Json& status = Json::object(), const std::string& backup = "nightly") {
    cluster.create(api::kDeleteBackupRequest,
                   {{"metadata", {{"name", "request"}}}, {"spec", {{"backupName", backup}}}, {"status", status}});
  }
  void create_restore(const std::string& name, const std::string& phase, const Json& finalizers = Json::array()) {
    cluster.create(api::kRestore, {{"metadata", {{"name", name}, {"finalizers", finalizers}}},
                                   {"spec", {{"backupName", "nightly"}}},
                                   {"status", {{"phase", phase}}}});
    bucket.write("restores/" + name + "/restore-" + name + "-logs.gz", "x");
  }
  std::optional<Duration> reconcile(const std::string& request = "request") {
    BackupDeletionReconciler reconciler(context(), {.finalizer_wait = milliseconds(1)}, cleanups, actions);
    return TestCluster::must(reconciler.reconcile({"velero", request}, {})).again_after;
  }
  Context context() { return clock ? with_clock(cluster, *clock) : cluster.context(); }
  // Reconciles, and returns what the request then says.
  std::vector<std::string> errors() {
    reconcile();
    const Json status = cluster.get(api::kDeleteBackupRequest, "request")["status"];
    EXPECT_EQ(status["phase"], "Processed");
    return status["errors"];
  }
  std::string phase() { return cluster.get(api::kBackup, "nightly")["status"]["phase"]; }
  void expect_all_gone() {
    EXPECT_THAT(names_of(cluster, api::kBackup), IsEmpty());
    EXPECT_THAT(names_of(cluster, api::kDeleteBackupRequest), IsEmpty());
    EXPECT_THAT(bucket.files(), IsEmpty());
  }

  TestCluster cluster;
  StoredBackups bucket{cluster};
  std::optional<ManualClock> clock;
  std::vector<BackupCleanup*> cleanups;
  std::vector<extension::DeleteItemAction*> actions;
};

TEST_F(DeletionTest, RemovesTheBackupItsFilesItsRestoresAndAllRequests) {
  create_backup();
  create_restore("done", "Completed", {"restores.velero.io/external-resources-finalizer"});
  create_request();
  cluster.create(api::kDeleteBackupRequest,
                 {{"metadata", {{"name", "older"}, {"labels", {{"velero.io/backup-name", "nightly"}}}}},
                  {"spec", {{"backupName", "nightly"}}},
                  {"status", {{"phase", "Processed"}, {"errors", {"x"}}}}});

  EXPECT_EQ(reconcile(), std::nullopt);

  expect_all_gone();
  EXPECT_THAT(names_of(cluster, api::kRestore), IsEmpty());
  EXPECT_THAT(cluster.metrics().text(), HasSubstr("velero_backup_deletion_success_total{schedule=\"daily\"} 1"));
  EXPECT_THAT(cluster.metrics().text(), HasSubstr("velero_backup_deletion_attempt_total{schedule=\"daily\"} 1"));
}

TEST_F(DeletionTest, LeavesOtherBackupsAlone) {
  create_backup();
  create_backup("Completed", "nightly-2");
  create_request();
  reconcile();
  EXPECT_THAT(names_of(cluster, api::kBackup), ElementsAre("nightly-2"));
  EXPECT_THAT(bucket.files(), SizeIs(2));
}

TEST_F(DeletionTest, RefusesABackupThatIsBusyOrNotThere) {
  create_request();
  EXPECT_THAT(errors(), ElementsAre("backup not found"));

  create_backup("InProgress");
  patch(cluster, api::kDeleteBackupRequest, "request", {{"status", nullptr}});
  EXPECT_THAT(errors(), ElementsAre(HasSubstr("in progress (phase InProgress)")));

  patch(cluster, api::kBackup, "nightly", {{"status", {{"phase", "Completed"}}}});
  patch(cluster, api::kDeleteBackupRequest, "request", {{"status", nullptr}});
  {
    const auto running = cluster.running().begin(api::kBackup, "nightly", nullptr, {});
    EXPECT_THAT(errors(), ElementsAre(HasSubstr("in progress")));
  }
  create_restore("now", "InProgress");
  patch(cluster, api::kDeleteBackupRequest, "request", {{"status", nullptr}});
  EXPECT_THAT(errors(), ElementsAre(HasSubstr("being restored (now)")));
  EXPECT_EQ(phase(), "Completed");
  EXPECT_THAT(bucket.files(), SizeIs(3));
}

TEST_F(DeletionTest, RefusesALocationThatIsReadOnlyUnavailableOrMissing) {
  create_backup();
  create_request();
  patch(cluster, api::kBackupStorageLocation, "default", {{"spec", {{"accessMode", "ReadOnly"}}}});
  EXPECT_THAT(errors(), ElementsAre(HasSubstr("read-only")));

  patch(cluster, api::kDeleteBackupRequest, "request", {{"status", nullptr}});
  patch(cluster, api::kBackupStorageLocation, "default",
        {{"spec", {{"accessMode", nullptr}}}, {"status", {{"phase", "Unavailable"}}}});
  EXPECT_THAT(errors(), ElementsAre(HasSubstr("unavailable")));

  patch(cluster, api::kDeleteBackupRequest, "request", {{"status", nullptr}});
  TestCluster::must(cluster.objects(api::kBackupStorageLocation).remove("default", {}));
  EXPECT_THAT(errors(), ElementsAre("backup storage location \"default\" not found"));
  EXPECT_EQ(phase(), "Completed");
}

TEST_F(DeletionTest, RefusesARequestForAnEarlierBackupOfTheName) {
  create_backup();
  create_request();
  patch(cluster, api::kDeleteBackupRequest, "request", {{"metadata", {{"labels", {{"velero.io/backup-uid", "u-1"}}}}}});
  EXPECT_THAT(errors(), ElementsAre(HasSubstr("another backup of this name")));
}

TEST_F(DeletionTest, RefusesVolumeDataThatNobodyCanDelete) {
  bucket.load("velero-1.18.3-volumes");
  create_object("Completed", "books-fs");
  const Json stored = Json::parse(std::ifstream(cluster.bucket() + "/backups/books-fs/velero-backup.json"));
  patch(cluster, api::kBackup, "books-fs", {{"status", {{"startTimestamp", stored["status"]["startTimestamp"]}}}});
  const auto before = bucket.files();
  create_request(Json::object(), "books-fs");

  EXPECT_THAT(errors(), ElementsAre(HasSubstr("1 pod volumes (restic or kopia), which this server cannot delete")));
  EXPECT_EQ(bucket.files(), before);
  EXPECT_EQ(cluster.get(api::kBackup, "books-fs")["status"]["phase"], "Completed");

  FakeCleanup cleanup(VolumeData::kPodVolumes);
  cleanups = {&cleanup};
  patch(cluster, api::kDeleteBackupRequest, "request", {{"status", nullptr}});
  reconcile();
  EXPECT_EQ(cleanup.calls, 1);
  EXPECT_TRUE(cleanup.had_folder);
  EXPECT_THAT(names_of(cluster, api::kBackup), IsEmpty());
}

TEST_F(DeletionTest, CountsSnapshotsAndUnreadableListsAsObstacles) {
  create_backup();
  create_request();
  bucket.write_json(
      "backups/nightly/nightly-volumesnapshots.json.gz",
      Json::array({{{"status", {{"providerSnapshotID", "snap-1"}}}}, {{"status", {{"phase", "Failed"}}}}}),
      Form::kGzipJson);
  bucket.write_json("backups/nightly/nightly-volumeinfo.json.gz",
                    Json::array({{{"backupMethod", "CSISnapshot"}, {"csiSnapshotInfo", {{"snapshotHandle", "h"}}}}}),
                    Form::kGzipJson);
  EXPECT_THAT(errors(), ElementsAre(HasSubstr("1 volume snapshots,"), HasSubstr("1 CSI snapshots,")));

  bucket.write("backups/nightly/nightly-volumesnapshots.json.gz", "rust");
  patch(cluster, api::kDeleteBackupRequest, "request", {{"status", nullptr}});
  EXPECT_THAT(errors(), ElementsAre(HasSubstr("nightly-volumesnapshots.json.gz")));
  EXPECT_EQ(phase(), "Completed");
}

TEST_F(DeletionTest, KeepsTheFilesWhenVolumeDataCouldNotBeDeleted) {
  create_backup();
  create_request();
  bucket.write_json("backups/nightly/nightly-volumesnapshots.json.gz",
                    Json::array({{{"status", {{"providerSnapshotID", "snap-1"}}}}}), Form::kGzipJson);
  FakeCleanup cleanup(VolumeData::kNativeSnapshots);
  cleanup.result = fail(Code::kUnavailable, "the cloud is away");
  cleanups = {&cleanup};
  const auto before = bucket.files();

  EXPECT_THAT(errors(), ElementsAre("fake: the cloud is away"));
  EXPECT_EQ(phase(), "Deleting");
  EXPECT_EQ(bucket.files(), before);
  EXPECT_THAT(cluster.metrics().text(), HasSubstr("velero_backup_deletion_failure_total{schedule=\"daily\"} 1"));

  cleanup.result = {};
  patch(cluster, api::kDeleteBackupRequest, "request", {{"status", nullptr}});
  reconcile();
  expect_all_gone();
}

TEST_F(DeletionTest, DeletesNothingOfWhatCannotAllBeDeleted) {
  create_backup();
  create_request();
  bucket.write_json("backups/nightly/nightly-volumesnapshots.json.gz",
                    Json::array({{{"status", {{"providerSnapshotID", "snap-1"}}}}}), Form::kGzipJson);
  bucket.write_json("backups/nightly/nightly-podvolumebackups.json.gz",
                    Json::array({{{"metadata", {{"name", "pvb"}}}, {"status", {{"snapshotID", "s-1"}}}}}),
                    Form::kGzipJson);
  FakeCleanup files(VolumeData::kPodVolumes);
  FakeCleanup snapshots(VolumeData::kNativeSnapshots);
  snapshots.can = fail(Code::kUnsupported, "there is no plugin");
  FakeCleanup idle(VolumeData::kCsiSnapshots);
  idle.can = fail(Code::kUnsupported, "nobody asks");
  cleanups = {&files, &snapshots, &idle};

  EXPECT_THAT(errors(), ElementsAre("fake: there is no plugin; nothing was deleted"));
  EXPECT_EQ(files.calls, 0);
  EXPECT_EQ(phase(), "Completed");
}

TEST_F(DeletionTest, TriesAgainWhenARepositoryIsLocked) {
  create_backup();
  create_request();
  bucket.write_json("backups/nightly/nightly-volumesnapshots.json.gz",
                    Json::array({{{"status", {{"providerSnapshotID", "snap-1"}}}}}), Form::kGzipJson);
  FakeCleanup cleanup(VolumeData::kNativeSnapshots);
  cleanup.result = fail(Code::kConflict, "the repository is locked");
  cleanups = {&cleanup};
  EXPECT_EQ(reconcile(), std::chrono::seconds(15));
  EXPECT_EQ(cluster.get(api::kDeleteBackupRequest, "request")["status"]["phase"], "InProgress");
  EXPECT_EQ(phase(), "Deleting");

  cleanup.result = {};
  reconcile();
  expect_all_gone();
}

TEST_F(DeletionTest, RunsDeleteActionsOverTheItemsOfTheirScope) {
  bucket.load("velero-1.18.3");
  const Json stored = Json::parse(std::ifstream(cluster.bucket() + "/backups/bookshop/velero-backup.json"));
  create_object("Completed", "bookshop");
  patch(cluster, api::kBackup, "bookshop", {{"status", {{"startTimestamp", stored["status"]["startTimestamp"]}}}});
  FakeAction action;
  action.what = {.included_namespaces = {"bookshop"}, .included_resources = {"cm"}};
  action.result = fail(Code::kForbidden, "no");
  actions = {&action};
  create_request(Json::object(), "bookshop");

  EXPECT_THAT(errors(), Contains(HasSubstr("example.com/sweeper: resources/configmaps/namespaces/bookshop/")));
  EXPECT_TRUE(bucket.has("backups/bookshop/bookshop.tar.gz"));
  EXPECT_THAT(action.seen, testing::Each(HasSubstr("ConfigMap bookshop/")));

  action.result = {};
  patch(cluster, api::kDeleteBackupRequest, "request", {{"status", nullptr}});
  reconcile();
  EXPECT_FALSE(bucket.has("backups/bookshop"));
  EXPECT_TRUE(bucket.has("backups/by-label"));
}

TEST_F(DeletionTest, SaysWhenTheItemsCannotBeRead) {
  create_backup();
  bucket.write("backups/nightly/nightly.tar.gz", "rust");
  FakeAction action;
  actions = {&action};
  create_request();
  EXPECT_THAT(errors(), ElementsAre(HasSubstr("read the items of the backup")));
  EXPECT_EQ(phase(), "Deleting");
}

// Wherever a server died, the next one finishes.
TEST_F(DeletionTest, GoesOnWithADeletionThatWasInterrupted) {
  const Json in_progress = {{"phase", "InProgress"}};
  create_request(in_progress);
  create_backup();  // before the Backup was marked
  reconcile();
  expect_all_gone();

  create_request(in_progress);
  create_backup("Deleting");
  bucket.remove("backups/nightly/velero-backup.json");  // within the folder
  reconcile();
  expect_all_gone();

  create_request(in_progress);
  create_object("Deleting", "nightly");  // after the folder
  create_restore("done", "Completed");
  reconcile();
  expect_all_gone();

  create_request(in_progress);  // after the Backup
  reconcile();
  expect_all_gone();
}

TEST_F(DeletionTest, WaitsForALocationThatIsAwayForAMoment) {
  create_request({{"phase", "InProgress"}});
  create_backup("Deleting");
  patch(cluster, api::kBackupStorageLocation, "default", {{"status", {{"phase", "Unavailable"}}}});
  EXPECT_EQ(reconcile(), std::chrono::seconds(30));
  EXPECT_EQ(cluster.get(api::kDeleteBackupRequest, "request")["status"]["phase"], "InProgress");
}

TEST_F(DeletionTest, DoesNotTouchAnotherBackupOfTheSameName) {
  bucket.write_backup(stored_backup("nightly"));
  create_object("FailedValidation", "nightly");
  patch(cluster, api::kBackup, "nightly", {{"status", {{"startTimestamp", nullptr}}}});
  create_request();
  reconcile();
  EXPECT_THAT(names_of(cluster, api::kBackup), IsEmpty());
  EXPECT_TRUE(bucket.has("backups/nightly/velero-backup.json"));

  create_object("Failed", "nightly");
  patch(cluster, api::kBackup, "nightly", {{"status", {{"startTimestamp", "2029-12-31T04:00:00Z"}}}});
  create_request();
  reconcile();
  EXPECT_THAT(names_of(cluster, api::kBackup), IsEmpty());
  EXPECT_TRUE(bucket.has("backups/nightly/velero-backup.json"));
}

TEST_F(DeletionTest, RemovesABackupThatNeverStartedWithoutItsLocation) {
  create_object("FailedValidation", "nightly");
  patch(cluster, api::kBackup, "nightly",
        {{"spec", {{"storageLocation", "nowhere"}}}, {"status", {{"startTimestamp", nullptr}}}});
  create_request();
  reconcile();
  expect_all_gone();
}

TEST_F(DeletionTest, SaysWhichRestoreDoesNotGo) {
  create_backup();
  create_restore("stuck", "Completed", {"example.com/stay"});
  create_request();
  EXPECT_THAT(errors(), ElementsAre("restore stuck does not go: it waits for example.com/stay"));
  EXPECT_EQ(phase(), "Deleting");
}

TEST_F(DeletionTest, LeavesItsWorkInProgressWhenItIsStopped) {
  create_backup();
  create_request();
  std::stop_source stop;
  stop.request_stop();
  BackupDeletionReconciler reconciler(cluster.context(), {}, {}, {});
  EXPECT_FALSE(reconciler.reconcile({"velero", "request"}, stop.get_token()));
  EXPECT_FALSE(cluster.get(api::kDeleteBackupRequest, "request")["status"].contains("errors"));
}

TEST_F(DeletionTest, SweepsProcessedRequestsAfterADay) {
  create_request({{"phase", "Processed"}, {"errors", {"x"}}});
  clock.emplace(system_clock().wall_now());
  EXPECT_LE(reconcile(), std::optional<Duration>(hours(24)));
  EXPECT_THAT(names_of(cluster, api::kDeleteBackupRequest), ElementsAre("request"));
  clock->advance(hours(24));
  EXPECT_EQ(reconcile(), std::nullopt);
  EXPECT_THAT(names_of(cluster, api::kDeleteBackupRequest), IsEmpty());
}

}  // namespace
}  // namespace landfall::control
