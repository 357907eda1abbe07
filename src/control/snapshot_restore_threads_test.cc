#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bucket/artifact.h"
#include "control/test_backup_runner.h"
#include "control/test_pod_volumes.h"
#include "control/test_restore_runner.h"
#include "control/test_snapshots.h"

namespace landfall::control {
namespace {

using bucket::RestoreArtifact;
using json::Json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kSnapshot = "snap-vol-pv-books";
const k8s::GroupVersionResource kVolumes{"", "v1", "persistentvolumes"};

// A backup b1 of a claim `books` in namespace `shop`, whose volume pv-books has a snapshot; claim and volume are gone.
class SnapshotRestore : public ::testing::Test {
 protected:
  explicit SnapshotRestore(TestCluster::Kinds kinds = TestCluster::Kinds::kAll) : cluster_(kinds) {
    cluster_.serve_snapshotters(storage_.opener());
    cluster_.create_location("default");
    put_snapshot_location(cluster_, "fakes");
    cluster_.create_namespace("shop");
    put_claim(cluster_, "shop", "books");
    BackupSettings settings = TestBackupRunner::built_in();
    settings.snapshots = std::make_shared<SnapshotSessions>();
    TestBackupRunner(cluster_, settings).back_up("b1", {{"includedNamespaces", {"shop"}}});
    remove({"", "v1", "persistentvolumeclaims"}, "shop", "books");
    remove(kVolumes, "", "pv-books");
  }

  void remove(const k8s::GroupVersionResource& resource, const std::string& name_space, const std::string& name) {
    const kube::Resource objects(cluster_.client(), resource, name_space);
    const SteadyTime deadline = system_clock().after(std::chrono::seconds(60));
    // The world puts finalizers on both, and takes them off in its own time.
    while (system_clock().now() < deadline) {
      const auto gone = objects.remove(name, {});
      if (!gone && gone.error().code() == Code::kNotFound) return;
      static_cast<void>(objects.patch(name, kube::PatchType::kMerge, {{"metadata", {{"finalizers", nullptr}}}}, {}));
      system_clock().sleep_for(std::chrono::milliseconds(5), {});
    }
    throw std::runtime_error(name + " does not go");
  }

  static RestoreSettings settings() {
    RestoreSettings settings = TestRestoreRunner::built_in();
    settings.snapshots = std::make_shared<SnapshotSessions>();
    settings.operation_sync_frequency = std::chrono::hours(1);
    return settings;
  }
  Json run(const Json& more = Json::object(), const std::stop_token& stop = {}) {
    Json spec = {{"backupName", "b1"}};
    spec.update(more);
    runner_.create("r1", spec);
    const Status done = runner_.run("r1", stop);
    EXPECT_TRUE(done || stop.stop_requested()) << done.error().message();
    return restore();
  }
  Json wait(TestRestoreRunner& runner) {
    const Status waited = runner.wait("r1");
    EXPECT_TRUE(waited) << waited.error().message();
    return restore();
  }
  Json restore() { return cluster_.get(api::kRestore, "r1"); }
  static std::string phase(const Json& object) { return object["status"].value("phase", ""); }
  Json document(RestoreArtifact artifact) {
    const auto& locations = cluster_.context().locations;
    const auto opened = TestCluster::must(locations.open(TestCluster::must(locations.find("default", {})), {}));
    return TestCluster::must(opened->backups().read("r1", artifact, {})).value_or(Json());
  }
  std::string errors() { return document(RestoreArtifact::kResults)["errors"].dump(); }
  Json volume() { return TestCluster::must(kube::Resource(cluster_.client(), kVolumes, "").get("pv-books", {})); }
  std::vector<Json> resources() {
    return TestCluster::must(cluster_.objects(api::kVolumePluginRestore).list({}, {})).items;
  }
  void plugin_writes(const Json& status) {
    storage_.play([=, this](FakeStorage::Script& script) {
      script.on_volume = [=, this](const std::string& /*id*/) {
        put_plugin_restore(cluster_, kSnapshot, "b1", status);
      };
    });
  }

  FakeStorage storage_;
  TestCluster cluster_;
  TestRestoreRunner runner_{cluster_, settings()};
};

TEST_F(SnapshotRestore, MakesAVolumeAndRefersToIt) {
  EXPECT_EQ(phase(run()), "Finalizing") << errors();
  EXPECT_EQ(storage_.count("volume " + kSnapshot + " fast  300"), 1);
  EXPECT_EQ(volume()["spec"]["nfs"]["path"], "/new-" + kSnapshot);
  Json row = document(RestoreArtifact::kVolumeInfos)[0];
  for (const char* time : {"startTimestamp", "completionTimestamp"}) EXPECT_EQ(row.erase(time), 1U) << time;
  EXPECT_EQ(row, (Json{{"pvName", "pv-books"},
                       {"pvcName", "books"},
                       {"pvcNamespace", "shop"},
                       {"restoreMethod", "NativeSnapshot"},
                       {"snapshotDataMoved", false},
                       {"result", "succeeded"},
                       {"nativeSnapshotInfo",
                        {{"snapshotHandle", kSnapshot},
                         {"volumeType", "fast"},
                         {"volumeAZ", ""},
                         {"iops", "300"},
                         {"Phase", ""}}}}));
  EXPECT_EQ(storage_.open(), 0);
  EXPECT_EQ(phase(runner_.end("r1")), "Completed") << errors();
  EXPECT_THAT(resources(), IsEmpty());
}

TEST_F(SnapshotRestore, MakesNothingForAPreview) {
  EXPECT_EQ(phase(run({{"preview", true}})), "Completed");
  EXPECT_EQ(storage_.count("volume"), 0);
}

TEST_F(SnapshotRestore, MakesNothingWhereVolumesAreNotRestored) {
  run({{"restorePVs", false}});
  EXPECT_EQ(storage_.count("volume"), 0);
}

TEST_F(SnapshotRestore, ThatCannotMakeAVolumeSaysSo) {
  storage_.play([](FakeStorage::Script& script) {
    script.create_volume = fail(Code::kUnavailable, "plugin fake was killed by signal 9 in CreateVolumeFromSnapshot");
  });
  EXPECT_EQ(phase(run()), "FinalizingPartiallyFailed");
  EXPECT_THAT(errors(), AllOf(HasSubstr("pv-books"), HasSubstr("killed by signal 9")));
}

TEST_F(SnapshotRestore, WaitsForAVolumeThatIsStillBeingFilled) {
  // One of another restore, which is older.
  put_plugin_restore(cluster_, "snap-other", "b1", {{"phase", "InProgress"}});
  plugin_writes({{"phase", "InProgress"}, {"volumeID", "new-" + kSnapshot}, {"progress", {{"totalBytes", 9}}}});
  const Json waiting = run();
  ASSERT_EQ(phase(waiting), "WaitingForPluginOperations");
  EXPECT_EQ(waiting["status"]["progress"]["step"], "RestoringVolumes");
  EXPECT_EQ(document(RestoreArtifact::kItemOperations)[0]["spec"]["restoreItemAction"],
            "landfall.dev/volume-from-snapshot");
  std::string name;
  for (const Json& one : resources()) {
    if (one["spec"]["snapshotID"] != kSnapshot) {
      EXPECT_FALSE(one["metadata"].contains("labels"));
      continue;
    }
    name = one["metadata"]["name"];
    EXPECT_EQ(one["metadata"]["labels"], (Json{{"velero.io/restore-name", "r1"},
                                               {"velero.io/restore-uid", waiting["metadata"]["uid"]},
                                               {"velero.io/pv-name", "pv-books"}}));
  }
  EXPECT_EQ(storage_.open(), 1);
  Json row = document(RestoreArtifact::kVolumeInfos)[0];
  EXPECT_EQ(row["result"], "inProgress");
  EXPECT_EQ(row["nativeSnapshotInfo"]["progressResource"], name);
  EXPECT_EQ(row["nativeSnapshotInfo"]["progress"], (Json{{"totalBytes", 9}, {"bytesDone", 0}}));
  TestRestoreRunner restarted(cluster_, settings());
  EXPECT_EQ(phase(wait(restarted)), "WaitingForPluginOperations");
  patch_status(cluster_, api::kVolumePluginRestore, name, {{"phase", "Completed"}, {"progress", {{"bytesDone", 9}}}});
  EXPECT_EQ(phase(wait(restarted)), "Finalizing");
  EXPECT_EQ(phase(restarted.end("r1")), "Completed") << errors();
  row = document(RestoreArtifact::kVolumeInfos)[0];
  EXPECT_EQ(row["result"], "succeeded");
  EXPECT_EQ(row["bytesRestored"], 9);
  EXPECT_EQ(row["pvName"], "pv-books");
}

TEST_F(SnapshotRestore, WhoseResourceComesLateIsWaitedForAfterAll) {
  ASSERT_EQ(phase(run()), "Finalizing") << errors();
  const std::string name = put_plugin_restore(
      cluster_, kSnapshot, "b1",
      {{"phase", "InProgress"}, {"progress", {{"totalBytes", 9}, {"bytesDone", 3}}}})["metadata"]["name"];
  const Json waiting = runner_.end("r1");
  ASSERT_EQ(phase(waiting), "WaitingForPluginOperations");
  EXPECT_EQ(waiting["status"]["progress"]["step"], "RestoringVolumes");
  EXPECT_EQ(waiting["status"]["restoreItemOperationsAttempted"], 1);
  EXPECT_EQ(resources()[0]["metadata"]["labels"]["velero.io/restore-name"], "r1");
  Json row = document(RestoreArtifact::kVolumeInfos)[0];
  EXPECT_EQ(row["result"], "inProgress");
  EXPECT_EQ(row["nativeSnapshotInfo"]["progressResource"], name);
  EXPECT_EQ(phase(wait(runner_)), "WaitingForPluginOperations");
  patch_status(cluster_, api::kVolumePluginRestore, name, {{"phase", "Completed"}, {"progress", {{"bytesDone", 9}}}});
  EXPECT_EQ(phase(wait(runner_)), "Finalizing");
  EXPECT_EQ(phase(runner_.end("r1")), "Completed") << errors();
  row = document(RestoreArtifact::kVolumeInfos)[0];
  EXPECT_EQ(row["result"], "succeeded");
  EXPECT_EQ(row["bytesRestored"], 9);
  EXPECT_EQ(storage_.open(), 0);
}

TEST_F(SnapshotRestore, WhoseResourceComesLateIsWaitedForByTheNextServer) {
  ASSERT_EQ(phase(run()), "Finalizing") << errors();
  const std::string name = put_plugin_restore(cluster_, kSnapshot, "b1", {{"phase", "InProgress"}})["metadata"]["name"];
  TestRestoreRunner restarted(cluster_, settings());
  ASSERT_EQ(phase(restarted.end("r1")), "WaitingForPluginOperations");
  // It dies after the list was stored and before the Restore said so.
  patch_status(cluster_, api::kRestore, "r1", {{"phase", "Finalizing"}});
  TestRestoreRunner third(cluster_, settings());
  EXPECT_EQ(phase(third.end("r1")), "WaitingForPluginOperations");
  EXPECT_EQ(document(RestoreArtifact::kItemOperations).size(), 1U);
  patch_status(cluster_, api::kVolumePluginRestore, name, {{"phase", "Completed"}});
  EXPECT_EQ(phase(wait(third)), "Finalizing");
  EXPECT_EQ(phase(third.end("r1")), "Completed") << errors();
}

TEST_F(SnapshotRestore, OfWhichALateResourceTellsThatItHasFailedIsPartlyFailed) {
  ASSERT_EQ(phase(run()), "Finalizing") << errors();
  put_plugin_restore(cluster_, "snap-other", "b1", {{"phase", "InProgress"}});  // of nobody here
  put_plugin_restore(cluster_, kSnapshot, "b1", {{"phase", "Failed"}, {"message", "the disk is full"}});
  const Json ended = runner_.end("r1");
  EXPECT_EQ(phase(ended), "PartiallyFailed");
  EXPECT_EQ(ended["status"]["errors"], 1);
  EXPECT_THAT(errors(), HasSubstr("the disk is full"));
  EXPECT_EQ(document(RestoreArtifact::kVolumeInfos)[0]["result"], "failed");
}

TEST_F(SnapshotRestore, OfAVolumeThatFailsLaterIsPartlyFailed) {
  storage_.says("InProgress", 1, 10);
  EXPECT_EQ(phase(run()), "WaitingForPluginOperations");
  ASSERT_EQ(resources().size(), 1U);
  EXPECT_EQ(resources()[0]["spec"]["snapshotID"], kSnapshot);
  EXPECT_EQ(resources()[0]["status"]["progress"]["bytesDone"], 1);
  storage_.says("Failed", 1, 10, "a checksum does not match");
  EXPECT_EQ(phase(wait(runner_)), "FinalizingPartiallyFailed");
  EXPECT_EQ(resources().size(), 1U);
  EXPECT_TRUE(resources()[0]["status"].contains("completionTimestamp"));
  const Json ended = runner_.end("r1");
  EXPECT_EQ(phase(ended), "PartiallyFailed");
  EXPECT_EQ(document(RestoreArtifact::kResults)["errors"]["cluster"],
            Json::array({"persistentvolumes pv-books: snapshot snap-vol-pv-books: a checksum does not match"}));
  const Json row = document(RestoreArtifact::kVolumeInfos)[0];
  EXPECT_EQ(row["result"], "failed");
  EXPECT_EQ(row["message"], "a checksum does not match");
  EXPECT_TRUE(row.contains("completionTimestamp"));
  EXPECT_EQ(storage_.open(), 0);
}

TEST_F(SnapshotRestore, KeepsTheResourceOfThePluginWhereThereAreTwo) {
  storage_.says("InProgress", 1, 10);
  EXPECT_EQ(phase(run()), "WaitingForPluginOperations");
  const std::string own = put_plugin_restore(
      cluster_, kSnapshot, "b1", {{"phase", "InProgress"}, {"volumeID", "new-" + kSnapshot}})["metadata"]["name"];
  storage_.says("Completed", 10, 10);
  EXPECT_EQ(phase(wait(runner_)), "WaitingForPluginOperations") << "now its own resource counts";
  ASSERT_EQ(resources().size(), 1U);
  EXPECT_EQ(resources()[0]["metadata"]["name"], own);
  patch_status(cluster_, api::kVolumePluginRestore, own, {{"phase", "Completed"}});
  EXPECT_EQ(phase(wait(runner_)), "Finalizing");
}

TEST_F(SnapshotRestore, ThatIsCanceledTellsItsPluginToStop) {
  storage_.says("InProgress", 1, 10);
  run();
  TestCluster::must(
      cluster_.objects(api::kRestore).patch("r1", kube::PatchType::kMerge, {{"spec", {{"cancel", true}}}}, {}));
  wait(runner_);
  EXPECT_EQ(phase(restore()), "Failed");
  EXPECT_EQ(document(RestoreArtifact::kVolumeInfos)[0]["result"], "failed");
  EXPECT_THAT(document(RestoreArtifact::kVolumeInfos)[0]["message"].get<std::string>(), HasSubstr("canceled"));
  EXPECT_EQ(storage_.count("cancel new-" + kSnapshot), 1);
  EXPECT_EQ(resources()[0]["status"]["phase"], "Canceled");
  EXPECT_EQ(storage_.open(), 0);
}

TEST_F(SnapshotRestore, DoesNotMakeAVolumeTwice) {
  std::stop_source server;
  storage_.play([&](FakeStorage::Script& script) {
    script.on_volume = [&server](const std::string& /*id*/) { server.request_stop(); };
  });
  storage_.says("InProgress", 1, 10);
  run(Json::object(), server.get_token());
  EXPECT_EQ(phase(restore()), "InProgress");
  storage_.play([](FakeStorage::Script& script) { script.on_volume = nullptr; });
  TestRestoreRunner restarted(cluster_, settings());
  const Status again = restarted.run("r1");
  EXPECT_TRUE(again) << again.error().message();
  EXPECT_EQ(storage_.count("volume " + kSnapshot), 1);
  EXPECT_EQ(volume()["spec"]["nfs"]["path"], "/new-" + kSnapshot);
  EXPECT_EQ(phase(restore()), "WaitingForPluginOperations") << errors();
}

TEST_F(SnapshotRestore, OfASnapshotThatHadFailedIsRefused) {
  const auto& locations = cluster_.context().locations;
  const auto opened = TestCluster::must(locations.open(TestCluster::must(locations.find("default", {})), {}));
  bucket::BackupStore& backups = opened->backups();
  Json records = TestCluster::must(backups.read("b1", bucket::BackupArtifact::kVolumeSnapshots, {})).value();
  records[0]["status"]["phase"] = "Failed";
  const std::string bytes = bucket::encode(records, bucket::Form::kGzipJson);
  const extension::BytesSource source(bytes);
  ASSERT_TRUE(backups.rewrite("b1", cluster_.get(api::kBackup, "b1"),
                              {{bucket::BackupArtifact::kVolumeSnapshots, source}}, {}));
  EXPECT_EQ(phase(run()), "FinalizingPartiallyFailed");
  EXPECT_THAT(errors(), AllOf(HasSubstr("pv-books"), HasSubstr("had failed when it was backed up")));
  EXPECT_EQ(storage_.count("volume"), 0);
}

TEST_F(SnapshotRestore, WhoseBackupIsGoneClosesItsSnapshotters) {
  storage_.says("InProgress", 1, 10);
  run();
  ASSERT_EQ(storage_.open(), 1);
  TestCluster::must(cluster_.objects(api::kBackupStorageLocation).remove("default", {}));
  EXPECT_EQ(phase(wait(runner_)), "FinalizingPartiallyFailed");
  EXPECT_EQ(storage_.open(), 0);
}

// An installation of Velero, without VolumePluginBackups and -Restores.
class SnapshotRestoreOnVelerosKinds : public SnapshotRestore {
 protected:
  SnapshotRestoreOnVelerosKinds() : SnapshotRestore(TestCluster::Kinds::kVeleros) {}
};

TEST_F(SnapshotRestoreOnVelerosKinds, WaitsForNothingThatNobodyTells) {
  EXPECT_EQ(phase(run()), "Finalizing") << errors();
  EXPECT_EQ(volume()["spec"]["nfs"]["path"], "/new-" + kSnapshot);
  EXPECT_EQ(phase(runner_.end("r1")), "Completed") << errors();
}

TEST_F(SnapshotRestoreOnVelerosKinds, WaitsForAPluginThatIsAsked) {
  storage_.says("InProgress", 1, 10);
  EXPECT_EQ(phase(run()), "WaitingForPluginOperations");
  storage_.says("Completed", 10, 10);
  EXPECT_EQ(phase(wait(runner_)), "Finalizing");
  EXPECT_EQ(phase(runner_.end("r1")), "Completed") << errors();
}

}  // namespace
}  // namespace landfall::control
