#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "control/backup_deletion_reconciler.h"
#include "control/snapshot_cleanup.h"
#include "control/test_snapshot_backup.h"
#include "control/test_stored_backups.h"

namespace landfall::control {
namespace {

using bucket::BackupArtifact;
using json::Json;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// The errors of a deletion of b1.
Json delete_backup(const TestCluster& cluster) {
  SnapshotCleanup cleanup(cluster.context());
  cluster.create(api::kDeleteBackupRequest, {{"metadata", {{"name", "now"}}}, {"spec", {{"backupName", "b1"}}}});
  BackupDeletionReconciler reconciler(cluster.context(), {}, {&cleanup}, {});
  TestCluster::must(reconciler.reconcile({"velero", "now"}, {}));
  const auto request = cluster.objects(api::kDeleteBackupRequest).get("now", {});
  return request ? (*request)["status"].value("errors", Json::array()) : Json::array();
}

// What may go wrong with the server, a plugin or a cluster while snapshots are taken.
class SnapshotFaults : public SnapshotBackup {
 protected:
  using SnapshotBackup::SnapshotBackup;

  // A Backup that a dead server has left, with a snapshot under way of which only the plugin tells.
  void leave_in_progress(const Json& more) {
    runner_.create("b1", spec({{"volumeSnapshotLocations", {"fakes"}}}), "InProgress");
    TestCluster::must(cluster_.objects(api::kBackup).patch("b1", kube::PatchType::kMerge, more, {}));
    Json status = in_progress();
    status["snapshotID"] = "snap-old";
    put_plugin_backup(cluster_, "snap-old", "b1", status);
  }
  std::vector<std::string> names() { return names_of(cluster_, api::kVolumePluginBackup); }
};

TEST_F(SnapshotFaults, AFailureCountsThoughTheBackupCouldNotBeWritten) {
  plugin_writes(in_progress());
  const Json before = run()["status"];
  patch_status(cluster_, api::kVolumePluginBackup, kSnapshot, {{"phase", "Failed"}, {"message", "the disk is full"}});
  EXPECT_EQ(phase(wait(runner_)), "FinalizingPartiallyFailed");
  put_back(before);
  EXPECT_EQ(phase(wait(runner_)), "FinalizingPartiallyFailed");
  Json ended = end();
  EXPECT_EQ(phase(ended), "PartiallyFailed");
  EXPECT_EQ(ended["status"]["errors"], 1);
  EXPECT_EQ(document(BackupArtifact::kResults)["errors"]["cluster"].size(), 1U) << errors();
}

TEST_F(SnapshotFaults, ALateFailureCountsThoughTheBackupCouldNotBeWritten) {
  const Json before = run()["status"];
  put_plugin_backup(cluster_, kSnapshot, "b1",
                    {{"phase", "Failed"}, {"snapshotID", kSnapshot}, {"message", "the disk is full"}});
  EXPECT_EQ(phase(end()), "PartiallyFailed");
  put_back(before);
  Json ended = end();
  EXPECT_EQ(phase(ended), "PartiallyFailed");
  EXPECT_EQ(ended["status"]["errors"], 1);
  EXPECT_EQ(document(BackupArtifact::kResults)["errors"]["cluster"].size(), 1U) << errors();
  EXPECT_EQ(document(BackupArtifact::kVolumeInfos)[0]["result"], "failed");
}

TEST_F(SnapshotFaults, ASnapshotThatOnlyItsPluginTellsOfGoesWithTheBackup) {
  storage_.play([](FakeStorage::Script& script) {
    script.create_snapshot = fail(Code::kUnavailable, "plugin fake was killed by signal 9 in CreateSnapshot");
  });
  run();
  EXPECT_EQ(phase(end()), "PartiallyFailed");
  put_plugin_backup(cluster_, kSnapshot, "b1", in_progress());
  EXPECT_THAT(delete_backup(cluster_), IsEmpty());
  EXPECT_THAT(storage_.calls(), Contains("delete " + kSnapshot));
  EXPECT_THAT(names(), IsEmpty());
  EXPECT_THAT(names_of(cluster_, api::kBackup), IsEmpty());
}

TEST_F(SnapshotFaults, ABackupThatIsCanceledAfterACrashLeavesNoSnapshot) {
  leave_in_progress({{"spec", {{"cancel", true}}}});
  ASSERT_TRUE(runner_.run("b1"));
  EXPECT_EQ(phase(backup()), "Failed");
  EXPECT_THAT(storage_.calls(), ElementsAre("cancel snap-old", "delete snap-old"));
  EXPECT_THAT(names(), IsEmpty());
  EXPECT_EQ(storage_.open(), 0);
}

TEST_F(SnapshotFaults, ABackupThatCannotBeRunAgainAfterACrashLeavesNoSnapshot) {
  leave_in_progress({{"metadata", {{"annotations", {{"landfall.dev/tries", "10"}}}}}});
  ASSERT_TRUE(runner_.run("b1"));
  EXPECT_EQ(phase(backup()), "Failed");
  EXPECT_THAT(storage_.calls(), ElementsAre("cancel snap-old", "delete snap-old"));
  EXPECT_THAT(names(), IsEmpty());
  EXPECT_EQ(storage_.open(), 0);
}

TEST_F(SnapshotFaults, ABackupThatIsCanceledLeavesTheSnapshotsOfAnotherClusters) {
  const StoredBackups bucket(cluster_);
  bucket.write_backup(stored_backup("b1"));
  bucket.write_json(
      "backups/b1/b1-volumesnapshots.json.gz",
      Json::array({{{"spec", {{"location", "fakes"}}}, {"status", {{"providerSnapshotID", "snap-of-another"}}}}}),
      bucket::Form::kGzipJson);
  leave_in_progress({{"spec", {{"cancel", true}}}});
  ASSERT_TRUE(runner_.run("b1"));
  EXPECT_EQ(phase(backup()), "Failed");
  EXPECT_EQ(storage_.count("delete snap-of-another"), 0);
  EXPECT_EQ(storage_.count("delete snap-old"), 1);
  EXPECT_TRUE(bucket.has("backups/b1/velero-backup.json"));
}

TEST_F(SnapshotFaults, ABackupThatIsRunAgainEndsTheSnapshotsOfItsFirstTry) {
  leave_in_progress(Json::object());
  put_plugin_backup(cluster_, "snap-done", "b1", {{"phase", "Completed"}, {"snapshotID", "snap-done"}});
  ASSERT_TRUE(runner_.run("b1"));
  EXPECT_EQ(storage_.count("cancel snap-old"), 1);
  EXPECT_EQ(storage_.count("cancel snap-done"), 0);
  EXPECT_EQ(resource("snap-old")["spec"]["cancel"], true);
  const Json uid = backup()["metadata"]["uid"];
  for (const char* const name : {"snap-old", "snap-done"}) {
    EXPECT_EQ(resource(name)["metadata"]["labels"]["velero.io/backup-uid"], uid) << name;
    EXPECT_THAT(document(BackupArtifact::kVolumePluginBackups).dump(), HasSubstr(name)) << "to be deleted with it";
  }
  EXPECT_EQ(document(BackupArtifact::kVolumeSnapshots)[0]["status"]["providerSnapshotID"], kSnapshot);
}

TEST_F(SnapshotFaults, AnEndThatCouldNotBeWrittenIsWrittenTheNextTime) {
  storage_.says("InProgress", 1, 100);
  run();
  storage_.says("Completed", 100, 100);
  storage_.play([this](FakeStorage::Script& script) {
    script.on_ask = [this] { TestCluster::must(cluster_.objects(api::kVolumePluginBackup).remove(kSnapshot, {})); };
  });
  EXPECT_EQ(phase(wait(runner_)), "WaitingForPluginOperations");
  storage_.play([](FakeStorage::Script& script) { script.on_ask = nullptr; });
  EXPECT_EQ(phase(wait(runner_)), "Finalizing");
  EXPECT_EQ(resource()["status"]["phase"], "Completed");
}

TEST_F(SnapshotFaults, APluginThatKnowsNothingAnyMoreHasFailedInItsResource) {
  storage_.says("InProgress", 30, 100);
  run();
  storage_.says(fail(Code::kNotFound, "never heard of it"));
  EXPECT_EQ(phase(wait(runner_)), "FinalizingPartiallyFailed");
  Json status = resource()["status"];
  EXPECT_EQ(status["phase"], "Failed");
  EXPECT_EQ(status["message"], "the plugin does not know it any more: never heard of it");
  EXPECT_TRUE(status.contains("completionTimestamp"));
  EXPECT_EQ(status["progress"], (Json{{"totalBytes", 100}, {"bytesDone", 30}}));
}

TEST_F(SnapshotFaults, APluginThatTakesTheResourceOverIsNotOverwritten) {
  storage_.says("InProgress", 30, 100);
  run();
  storage_.says("InProgress", 60, 100);
  storage_.play([this](FakeStorage::Script& script) {
    script.on_ask = [this] {
      TestCluster::must(cluster_.objects(api::kVolumePluginBackup)
                            .patch(kSnapshot, kube::PatchType::kMerge,
                                   {{"metadata", {{"annotations", {{"landfall.dev/written-by-server", nullptr}}}}},
                                    {"status", {{"progress", {{"bytesDone", 80}}}}}},
                                   {}));
    };
  });
  EXPECT_EQ(phase(wait(runner_)), "WaitingForPluginOperations");
  EXPECT_EQ(resource()["status"]["progress"]["bytesDone"], 80);
  storage_.play([](FakeStorage::Script& script) { script.on_ask = nullptr; });
  storage_.says("Completed", 100, 100);
  EXPECT_EQ(phase(wait(runner_)), "WaitingForPluginOperations") << "now the resource counts";
  EXPECT_EQ(resource()["status"]["progress"]["bytesDone"], 80);
}

TEST_F(SnapshotFaults, BytesOfAPluginThatBeginsAgainDoNotGoDown) {
  storage_.says("InProgress", 60, 100);
  run();
  storage_.says("InProgress", 5, 100);
  wait(runner_);
  EXPECT_EQ(resource()["status"]["progress"]["bytesDone"], 60);
}

TEST_F(SnapshotFaults, ABackupThatCannotBeEndedClosesItsSnapshotters) {
  plugin_writes(in_progress());
  run();
  patch_status(cluster_, api::kVolumePluginBackup, kSnapshot, {{"phase", "Completed"}});
  wait(runner_);
  ASSERT_EQ(storage_.open(), 1);
  TestCluster::must(cluster_.objects(api::kBackupStorageLocation).remove("default", {}));
  EXPECT_EQ(phase(end()), "Failed");
  EXPECT_EQ(storage_.open(), 0);
}

TEST_F(SnapshotFaults, ABackupThatIsCanceledLateClosesItsSnapshotters) {
  plugin_writes(in_progress());
  run();
  patch_status(cluster_, api::kVolumePluginBackup, kSnapshot, {{"phase", "Completed"}});
  wait(runner_);
  ASSERT_EQ(storage_.open(), 1);
  patch(cluster_, api::kBackup, "b1", {{"spec", {{"cancel", true}}}});
  EXPECT_EQ(phase(end()), "Failed");
  EXPECT_EQ(storage_.open(), 0);
}

TEST_F(SnapshotFaults, SnapshotsThatCannotBeDeletedAreNamed) {
  storage_.play([](FakeStorage::Script& script) { script.delete_snapshot = fail(Code::kForbidden, "it is locked"); });
  Snapshotters snapshotters(cluster_.context(), Logger());
  std::set<PlacedSnapshot> all;
  for (char letter = 'a'; letter < 'd'; ++letter) all.insert({.location = "fakes", .snapshot = {letter}});
  const Status few = delete_snapshots(snapshotters, all, {});
  ASSERT_FALSE(few);
  EXPECT_EQ(few.error(), Error(Code::kForbidden, "delete snapshots a, b, c: it is locked"));
  for (char letter = 'd'; letter < 'x'; ++letter) all.insert({.location = "fakes", .snapshot = {letter}});
  const Status many = delete_snapshots(snapshotters, all, {});
  ASSERT_FALSE(many);
  EXPECT_THAT(many.error().message(), HasSubstr("s, t and 3 more: it is locked"));
  EXPECT_EQ(storage_.count("delete"), 26) << "all of them are tried";
}

TEST_F(SnapshotFaults, ABackupWhosePluginIsMissingIsNotDeleted) {
  run();
  end();
  cluster_.serve_snapshotters(nullptr);
  EXPECT_THAT(delete_backup(cluster_).dump(),
              AllOf(HasSubstr("there is no plugin for velero.io/fake"), HasSubstr("nothing was deleted")));
  EXPECT_EQ(phase(backup()), "Completed");
}

// An installation of Velero, without VolumePluginBackups and -Restores.
class SnapshotsOnVelerosKinds : public SnapshotFaults {
 protected:
  SnapshotsOnVelerosKinds() : SnapshotFaults(TestCluster::Kinds::kVeleros) {}
};

TEST_F(SnapshotsOnVelerosKinds, AreTakenAndDeleted) {
  EXPECT_EQ(phase(run()), "Finalizing");
  EXPECT_EQ(phase(end()), "Completed") << errors();
  EXPECT_EQ(warnings(), Json::object().dump());
  EXPECT_THAT(delete_backup(cluster_), IsEmpty());
  EXPECT_THAT(storage_.calls(), Contains("delete " + kSnapshot));
  EXPECT_THAT(names_of(cluster_, api::kBackup), IsEmpty());
}

TEST_F(SnapshotsOnVelerosKinds, AreWaitedForWhereThePluginIsAsked) {
  storage_.says("InProgress", 1, 100);
  EXPECT_EQ(phase(run()), "WaitingForPluginOperations");
  EXPECT_EQ(phase(wait(runner_)), "WaitingForPluginOperations");
  storage_.says("Completed", 100, 100);
  EXPECT_EQ(phase(wait(runner_)), "Finalizing");
  EXPECT_EQ(phase(end()), "Completed") << errors();
}

}  // namespace
}  // namespace landfall::control
