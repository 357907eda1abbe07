#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "control/snapshot_cleanup.h"
#include "control/test_pod_volumes.h"
#include "control/test_snapshot_backup.h"

namespace landfall::control {
namespace {

using bucket::BackupArtifact;
using json::Json;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST_F(SnapshotBackup, IsRecordedAsVeleroDoes) {
  TestCluster::must(kube::Resource(cluster_.client(), {"", "v1", "persistentvolumes"}, "")
                        .patch("pv-books", kube::PatchType::kMerge,
                               {{"metadata", {{"labels", {{"topology.kubernetes.io/zone", "z1"}}}}}}, {}));
  const Json made = cluster_.create(api::kBackup, {{"metadata", {{"name", "b1"}, {"labels", {{"team", "a"}}}}},
                                                   {"spec", spec()},
                                                   {"status", {{"phase", "ReadyToStart"}}}});
  ASSERT_TRUE(runner_.run("b1"));
  EXPECT_EQ(phase(backup()), "Finalizing");
  const Json ended = end();
  EXPECT_EQ(phase(ended), "Completed") << errors();
  EXPECT_EQ(ended["spec"]["volumeSnapshotLocations"], Json::array({"fakes"}));
  EXPECT_EQ(ended["status"]["volumeSnapshotsAttempted"], 1);
  EXPECT_EQ(ended["status"]["volumeSnapshotsCompleted"], 1);
  EXPECT_EQ(document(BackupArtifact::kVolumeSnapshots),
            Json::array({{{"spec",
                           {{"backupName", "b1"},
                            {"backupUID", made["metadata"]["uid"]},
                            {"location", "fakes"},
                            {"persistentVolumeName", "pv-books"},
                            {"providerVolumeID", "vol-pv-books"},
                            {"volumeType", "fast"},
                            {"volumeAZ", "z1"},
                            {"volumeIOPS", 300}}},
                          {"status", {{"providerSnapshotID", kSnapshot}, {"phase", "Completed"}}}}}));
  Json row = document(BackupArtifact::kVolumeInfos)[0];
  row.erase("startTimestamp");
  EXPECT_EQ(
      row,
      (Json{{"pvName", "pv-books"},
            {"pvcName", "books"},
            {"pvcNamespace", "shop"},
            {"backupMethod", "NativeSnapshot"},
            {"snapshotDataMoved", false},
            {"preserveLocalSnapshot", false},
            {"skipped", false},
            {"result", "succeeded"},
            {"nativeSnapshotInfo",
             {{"snapshotHandle", kSnapshot},
              {"volumeType", "fast"},
              {"volumeAZ", "z1"},
              {"iops", "300"},
              {"Phase", "Completed"}}},
            {"pvInfo",
             {{"reclaimPolicy", "Retain"}, {"labels", {{"tier", "gold"}, {"topology.kubernetes.io/zone", "z1"}}}}}}));
  EXPECT_EQ(storage_.tags(), (std::map<std::string, std::string>{{"team", "a"},
                                                                 {"velero.io/backup", "b1"},
                                                                 {"velero.io/pv", "pv-books"},
                                                                 {"velero.io/storage-location", "default"}}));
  EXPECT_EQ(storage_.config(), (std::map<std::string, std::string>{{"region", "here"}}));
}

TEST_F(SnapshotBackup, OfAPluginThatSaysNothingCostsNothing) {
  EXPECT_EQ(phase(run()), "Finalizing");
  EXPECT_EQ(storage_.open(), 0) << "what nobody waits for is closed";
  EXPECT_EQ(phase(end()), "Completed");
  EXPECT_THAT(resources(), IsEmpty());
  EXPECT_TRUE(document(BackupArtifact::kVolumePluginBackups).is_null());
  EXPECT_EQ(storage_.count("ask"), 1);
}

TEST_F(SnapshotBackup, IsNotTakenOfVolumesOfOthers) {
  put_claim(cluster_, "shop", "other", {{"hostPath", {{"path", "/x"}}}});
  run();
  EXPECT_EQ(phase(end()), "Completed") << errors();
  EXPECT_EQ(document(BackupArtifact::kVolumeSnapshots).size(), 1U);
  const Json rows = document(BackupArtifact::kVolumeInfos);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1]["skippedReason"], "volumeSnapshot: no applicable volumesnapshotter found;");
}

TEST_F(SnapshotBackup, IsNotTakenWhereItIsNotWanted) {
  run(spec({{"snapshotVolumes", false}}));
  EXPECT_EQ(phase(end()), "Completed");
  EXPECT_THAT(storage_.calls(), IsEmpty());
  EXPECT_TRUE(document(BackupArtifact::kVolumeSnapshots).is_null());
}

TEST_F(SnapshotBackup, IsNotTakenOfWhatIsCopiedOutOfAPod) {
  put_pod(cluster_, "shop", pod_with("db-0", Json::array({claimed("data", "books")})));
  put_agent(cluster_, "n1");
  ScriptedUploader uploader;
  const PlayedAgents agents(cluster_, api::kPodVolumeBackup,
                            [](const Json& /*one*/) { return PlayedAgents::completed("s1"); });
  const PlayedRepositories repositories(cluster_, {&uploader});
  BackupSettings both = settings();
  both.pod_volumes = PodVolumeSettings{};
  const Json ended = TestBackupRunner(cluster_, both).back_up("b1", spec({{"defaultVolumesToFsBackup", true}}));
  EXPECT_EQ(phase(ended), "Completed") << errors();
  EXPECT_THAT(storage_.calls(), IsEmpty());
}

TEST_F(SnapshotBackup, ThatCannotBeTakenIsAnErrorOfItsVolume) {
  put_claim(cluster_, "shop", "more");
  storage_.play([](FakeStorage::Script& script) {
    script.create_snapshot = fail(Code::kUnavailable, "plugin fake was killed by signal 9 in CreateSnapshot");
  });
  EXPECT_EQ(phase(run()), "FinalizingPartiallyFailed");
  const Json ended = end();
  EXPECT_EQ(phase(ended), "PartiallyFailed");
  EXPECT_EQ(ended["status"]["volumeSnapshotsAttempted"], 2);
  EXPECT_FALSE(ended["status"].contains("volumeSnapshotsCompleted"));
  const Json texts = document(BackupArtifact::kResults)["errors"]["cluster"];
  ASSERT_EQ(texts.size(), 2U) << errors();
  EXPECT_THAT(texts.dump(), AllOf(HasSubstr("pv-books"), HasSubstr("pv-more"), HasSubstr("killed by signal 9")));
  const Json records = document(BackupArtifact::kVolumeSnapshots);
  EXPECT_EQ(records[0]["status"], (Json{{"phase", "Failed"}}));
  EXPECT_EQ(document(BackupArtifact::kVolumeInfos)[0]["result"], "failed");
}

TEST_F(SnapshotBackup, OfALocationWithoutAPluginIsAnError) {
  put_snapshot_location(cluster_, "strange", {{"provider", "example.com/strange"}});
  run();
  EXPECT_EQ(phase(end()), "PartiallyFailed");
  EXPECT_THAT(errors(), HasSubstr("there is no plugin for example.com/strange"));
  EXPECT_EQ(document(BackupArtifact::kVolumeSnapshots).size(), 1U) << "the other location is asked all the same";
}

TEST_F(SnapshotBackup, OfTheOnlyLocationWithoutAPluginIsKnownToBeMissing) {
  put_snapshot_location(cluster_, "strange", {{"provider", "example.com/strange"}});
  TestCluster::must(cluster_.objects(api::kVolumeSnapshotLocation).remove("fakes", {}));
  run();
  EXPECT_EQ(phase(end()), "PartiallyFailed");
  EXPECT_THAT(errors(), HasSubstr("there is no plugin for example.com/strange"));
  const Json records = document(BackupArtifact::kVolumeSnapshots);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0]["status"], (Json{{"phase", "Failed"}})) << "so that no restore makes an empty volume of it";
}

TEST_F(SnapshotBackup, GetsTheCredentialOfItsLocationAndNothingElse) {
  cluster_.create(
      {"", "v1", "secrets"}, "velero",
      {{"metadata", {{"name", "keys"}}}, {"stringData", {{"cloud", "secret"}}}, {"data", {{"cloud", "c2VjcmV0"}}}});
  put_snapshot_location(cluster_, "secured", {{"credential", {{"name", "keys"}, {"key", "cloud"}}}});
  run(spec({{"volumeSnapshotLocations", {"secured"}}}));
  const auto config = storage_.config();
  EXPECT_EQ(config.size(), 2U);
  EXPECT_TRUE(config.contains("credentialsFile"));
}

TEST_F(SnapshotBackup, IsWaitedForWhileItsResourceSaysThatItIsUnderWay) {
  plugin_writes(in_progress());
  const Json waiting = run();
  ASSERT_EQ(phase(waiting), "WaitingForPluginOperations");
  EXPECT_EQ(waiting["status"]["progress"]["step"], "BackingUpVolumes");
  EXPECT_EQ(waiting["status"]["backupItemOperationsAttempted"], 1);
  const Json marked = resource();
  EXPECT_EQ(marked["metadata"]["labels"], (Json{{"velero.io/backup-name", "b1"},
                                                {"velero.io/backup-uid", waiting["metadata"]["uid"]},
                                                {"velero.io/pv-name", "pv-books"}}));
  EXPECT_EQ(marked["metadata"]["ownerReferences"][0]["name"], "b1");
  EXPECT_EQ(marked["spec"]["volumeSnapshotLocation"], "fakes");
  EXPECT_EQ(document(BackupArtifact::kVolumePluginBackups)[0]["status"]["phase"], "InProgress");
  const Json operation = document(BackupArtifact::kItemOperations)[0];
  EXPECT_EQ(operation["spec"]["backupItemAction"], "landfall.dev/volume-snapshot");
  EXPECT_EQ(operation["spec"]["resourceIdentifier"]["Name"], "pv-books");
  EXPECT_EQ(storage_.open(), 1) << "the plugin may move the bytes itself";
  Json info = document(BackupArtifact::kVolumeInfos)[0]["nativeSnapshotInfo"];
  EXPECT_EQ(info["progressResource"], kSnapshot);
  EXPECT_EQ(info["progress"], (Json{{"totalBytes", 100}, {"bytesDone", 10}}));

  EXPECT_EQ(phase(wait(runner_)), "WaitingForPluginOperations");
  patch_status(cluster_, api::kVolumePluginBackup, kSnapshot,
               {{"phase", "Completed"},
                {"completionTimestamp", "2030-01-01T00:01:00Z"},
                {"progress", {{"totalBytes", 100}, {"bytesDone", 100}}}});
  EXPECT_EQ(phase(wait(runner_)), "Finalizing");
  const Json ended = end();
  EXPECT_EQ(phase(ended), "Completed") << errors();
  EXPECT_EQ(ended["status"]["progress"]["step"], "Finalizing");
  EXPECT_EQ(ended["status"]["backupItemOperationsCompleted"], 1);
  EXPECT_EQ(storage_.open(), 0);
  const Json stored = document(BackupArtifact::kVolumePluginBackups);
  ASSERT_EQ(stored.size(), 1U);
  EXPECT_EQ(stored[0]["status"]["completionTimestamp"], "2030-01-01T00:01:00Z") << "the plugin's own time";
  EXPECT_TRUE(document(BackupArtifact::kVolumeInfos)[0].contains("completionTimestamp"));
  info["progress"]["bytesDone"] = 100;
  EXPECT_EQ(document(BackupArtifact::kVolumeInfos)[0]["nativeSnapshotInfo"], info);
}

TEST_F(SnapshotBackup, AsksAPluginThatWritesItsOwnResourceSoThatItGoesOn) {
  plugin_writes(in_progress());
  run();
  const int asked = storage_.count("ask");
  EXPECT_GE(asked, 1);
  storage_.says(fail(Code::kNotFound, "never heard of it"));
  TestBackupRunner restarted(cluster_, settings());
  EXPECT_EQ(phase(wait(restarted)), "WaitingForPluginOperations") << "what the resource says counts";
  EXPECT_EQ(storage_.count("ask"), asked + 1);
  storage_.says("Failed", 0, 0, "only the resource counts");
  EXPECT_EQ(phase(wait(restarted)), "WaitingForPluginOperations");
}

TEST_F(SnapshotBackup, ThatFailsLaterIsAnErrorOfItsVolume) {
  plugin_writes(in_progress());
  run();
  patch_status(cluster_, api::kVolumePluginBackup, kSnapshot, {{"phase", "Failed"}, {"message", "the disk is full"}});
  EXPECT_EQ(phase(wait(runner_)), "FinalizingPartiallyFailed");
  const Json ended = end();
  EXPECT_EQ(phase(ended), "PartiallyFailed");
  EXPECT_EQ(ended["status"]["errors"], 1);
  EXPECT_FALSE(ended["status"].contains("volumeSnapshotsCompleted"));
  EXPECT_EQ(document(BackupArtifact::kResults)["errors"]["cluster"],
            Json::array({"persistentvolumes pv-books: snapshot snap-vol-pv-books: the disk is full"}));
  EXPECT_EQ(document(BackupArtifact::kVolumeSnapshots)[0]["status"]["phase"], "Failed");
  EXPECT_EQ(document(BackupArtifact::kVolumeInfos)[0]["result"], "failed");
}

TEST_F(SnapshotBackup, ThatHasFailedWhenTheRunEndsIsAnError) {
  plugin_writes({{"phase", "Canceled"}, {"snapshotID", kSnapshot}});
  EXPECT_EQ(phase(run()), "FinalizingPartiallyFailed");
  EXPECT_THAT(errors(), AllOf(HasSubstr("pv-books"), HasSubstr("it ended as Canceled")));
}

TEST_F(SnapshotBackup, LeavesAResourceOfAnotherBackupAlone) {
  plugin_writes(in_progress(), "another");
  run();
  EXPECT_EQ(phase(end()), "Completed") << errors();
  EXPECT_FALSE(resource()["metadata"].contains("labels"));
  EXPECT_THAT(warnings(), AllOf(HasSubstr(kSnapshot), HasSubstr("belongs to backup \\\"another\\\"")));
  EXPECT_TRUE(document(BackupArtifact::kVolumePluginBackups).is_null());
}

TEST_F(SnapshotBackup, IsFoundByItsIdWhereThatIsNoName) {
  storage_.play([this](FakeStorage::Script& script) {
    script.prefix = "Snap/";
    script.on_snapshot = [this](const std::string& id) {
      put_plugin_backup(cluster_, "other", "b0", {{"phase", "InProgress"}, {"snapshotID", id}});
      put_plugin_backup(cluster_, "mine", "b1", {{"phase", "InProgress"}, {"snapshotID", id}});
    };
  });
  EXPECT_EQ(phase(run()), "WaitingForPluginOperations");
  EXPECT_EQ(resource("mine")["metadata"]["labels"]["velero.io/pv-name"], "pv-books");
  EXPECT_FALSE(resource("other")["metadata"].contains("labels"));
  EXPECT_EQ(document(BackupArtifact::kItemOperations)[0]["spec"]["operationID"],
            "fakes/Snap%2Fvol-pv-books/pv-books/mine");
  patch_status(cluster_, api::kVolumePluginBackup, "mine", {{"phase", "Completed"}});
  EXPECT_EQ(phase(wait(runner_)), "Finalizing");
}

TEST_F(SnapshotBackup, NeverShowsMoreThanAll) {
  plugin_writes(in_progress(300, 100));
  run();
  const Json operation = document(BackupArtifact::kItemOperations)[0];
  EXPECT_EQ(operation["status"]["nCompleted"], 100);
  EXPECT_EQ(operation["status"]["nTotal"], 100);
}

TEST_F(SnapshotBackup, ReadsBytesAsTheyWereFirstSpelled) {
  plugin_writes(
      {{"phase", "InProgress"}, {"snapshotID", kSnapshot}, {"progress", {{"TotalBytes", 100}, {"BytesDone", 40}}}});
  run();
  EXPECT_EQ(document(BackupArtifact::kItemOperations)[0]["status"]["nCompleted"], 40);
}

TEST_F(SnapshotBackup, ThatNeverEndsIsGivenUpInTime) {
  plugin_writes({{"phase", "Pondering"}, {"snapshotID", kSnapshot}});
  EXPECT_EQ(phase(run(spec({{"itemOperationTimeout", "1ms"}}))), "WaitingForPluginOperations");
  EXPECT_EQ(phase(wait(runner_)), "FinalizingPartiallyFailed");
  EXPECT_EQ(phase(end()), "PartiallyFailed");
  EXPECT_THAT(errors(), AllOf(HasSubstr("pv-books"), HasSubstr("itemOperationTimeout")));
  EXPECT_EQ(resource()["spec"]["cancel"], true);
  EXPECT_EQ(storage_.count("cancel " + kSnapshot), 1);
}

TEST_F(SnapshotBackup, WhoseResourceIsDeletedHasFailed) {
  plugin_writes(in_progress());
  run();
  TestCluster::must(cluster_.objects(api::kVolumePluginBackup).remove(kSnapshot, {}));
  EXPECT_EQ(phase(wait(runner_)), "FinalizingPartiallyFailed");
  EXPECT_THAT(errors(), HasSubstr("was deleted before it had ended"));
}

TEST_F(SnapshotBackup, OfWhichTheResourceIsMissingCountsAsDone) {
  put_plugin_backup(cluster_, "older", "b0", {{"phase", "Completed"}, {"snapshotID", "older"}});
  run();
  EXPECT_EQ(phase(end()), "Completed");
  EXPECT_THAT(warnings(), HasSubstr("does not tell how far the snapshot is"));
}

TEST_F(SnapshotBackup, WhoseResourceComesLateIsWaitedForAfterAll) {
  EXPECT_EQ(phase(run()), "Finalizing");
  put_plugin_backup(cluster_, kSnapshot, "b1", in_progress());
  EXPECT_EQ(phase(end()), "WaitingForPluginOperations");
  EXPECT_EQ(resource()["metadata"]["labels"]["velero.io/backup-name"], "b1");
  EXPECT_EQ(phase(wait(runner_)), "WaitingForPluginOperations");
  patch_status(cluster_, api::kVolumePluginBackup, kSnapshot, {{"phase", "Completed"}});
  EXPECT_EQ(phase(wait(runner_)), "Finalizing");
  EXPECT_EQ(phase(end()), "Completed");
  EXPECT_EQ(document(BackupArtifact::kVolumePluginBackups).size(), 1U);
}

TEST_F(SnapshotBackup, ThatComesLateIsWaitedForThoughTheBackupCouldNotBeWritten) {
  EXPECT_EQ(phase(run()), "Finalizing");
  put_plugin_backup(cluster_, kSnapshot, "b1", in_progress());
  EXPECT_EQ(phase(end()), "WaitingForPluginOperations");
  // The server dies after the list was stored and before the Backup said so.
  patch_status(cluster_, api::kBackup, "b1", {{"phase", "Finalizing"}});
  EXPECT_EQ(phase(end()), "WaitingForPluginOperations");
  EXPECT_EQ(document(BackupArtifact::kItemOperations).size(), 1U);
}

TEST_F(SnapshotBackup, OfAPluginThatIsAskedIsWrittenDownByTheServer) {
  storage_.says("InProgress", 30, 100, "copying");
  EXPECT_EQ(phase(run()), "WaitingForPluginOperations");
  const Json written = resource();
  EXPECT_EQ(written["spec"], (Json{{"backup", "b1"},
                                   {"plugin", "velero.io/fake"},
                                   {"volume", "pv-books"},
                                   {"volumeSnapshotLocation", "fakes"},
                                   {"pluginSpecific", {{"pool", "ssd"}}}}));
  EXPECT_EQ(written["status"]["phase"], "InProgress");
  EXPECT_EQ(written["status"]["snapshotID"], kSnapshot);
  EXPECT_EQ(written["status"]["message"], "copying");
  EXPECT_EQ(written["status"]["progress"], (Json{{"totalBytes", 100}, {"bytesDone", 30}}));
  EXPECT_TRUE(written["status"].contains("startTimestamp"));
  EXPECT_FALSE(written["status"].contains("completionTimestamp"));

  TestBackupRunner restarted(cluster_, settings());
  storage_.says("InProgress", 60, 100);
  EXPECT_EQ(phase(wait(restarted)), "WaitingForPluginOperations");
  EXPECT_EQ(resource()["status"]["progress"]["bytesDone"], 60);
  storage_.says(fail(Code::kUnavailable, "the plugin was killed"));
  EXPECT_EQ(phase(wait(restarted)), "WaitingForPluginOperations") << "it may be back the next time";
  storage_.says("Failed", 60, 100, "the upload was cut off");
  EXPECT_EQ(phase(wait(restarted)), "FinalizingPartiallyFailed");
  EXPECT_TRUE(resource()["status"].contains("completionTimestamp")) << "of failures, too";
  EXPECT_EQ(phase(end()), "PartiallyFailed");
  EXPECT_THAT(errors(), HasSubstr("the upload was cut off"));
  EXPECT_EQ(document(BackupArtifact::kVolumePluginBackups)[0]["status"]["phase"], "Failed");
}

TEST_F(SnapshotBackup, OfAPluginThatIsAskedMayBeDoneAtOnce) {
  storage_.says("Completed", 100, 100);
  run();
  EXPECT_EQ(phase(end()), "Completed");
  EXPECT_EQ(resource()["status"]["phase"], "Completed");
  EXPECT_TRUE(resource()["status"].contains("completionTimestamp"));
}

TEST_F(SnapshotBackup, IsDeletedWhenItsBackupIsCanceledWhileItGoesOn) {
  storage_.says("InProgress", 1, 100);
  run();
  TestCluster::must(
      cluster_.objects(api::kBackup).patch("b1", kube::PatchType::kMerge, {{"spec", {{"cancel", true}}}}, {}));
  wait(runner_);
  EXPECT_EQ(phase(backup()), "Failed");
  EXPECT_EQ(storage_.count("cancel " + kSnapshot), 1);
  EXPECT_EQ(storage_.count("delete " + kSnapshot), 1);
  EXPECT_THAT(resources(), IsEmpty());
  EXPECT_EQ(storage_.open(), 0);
}

TEST_F(SnapshotBackup, IsDeletedWhenItsBackupIsCanceledWhileItRuns) {
  storage_.play([this](FakeStorage::Script& script) {
    script.on_snapshot = [this](const std::string& /*id*/) { cluster_.running().cancel(api::kBackup, "b1"); };
  });
  run();
  EXPECT_EQ(phase(backup()), "Failed");
  EXPECT_EQ(storage_.count("delete " + kSnapshot), 1);
  EXPECT_EQ(storage_.open(), 0);
}

TEST_F(SnapshotBackup, GoesWithItsBackup) {
  plugin_writes({{"phase", "Completed"}, {"snapshotID", kSnapshot}});
  run();
  end();
  SnapshotCleanup cleanup(cluster_.context());
  EXPECT_TRUE(cleanup.handles(VolumeData::kNativeSnapshots));
  EXPECT_TRUE(cleanup.handles(VolumeData::kPluginSnapshots));
  const auto bucket = runner_.bucket();
  const Status cleaned = cleanup.clean(backup(), bucket->backups(), {});
  EXPECT_TRUE(cleaned) << cleaned.error().message();
  EXPECT_EQ(storage_.count("delete"), 1);
  EXPECT_THAT(storage_.calls(), Contains("delete " + kSnapshot));
  EXPECT_THAT(resources(), IsEmpty());
}

TEST_F(SnapshotBackup, TakesNoSnapshotOfAnotherBackupWithIt) {
  plugin_writes({{"phase", "Completed"}, {"snapshotID", kSnapshot}});
  run();
  end();
  patch_status(cluster_, api::kVolumePluginBackup, kSnapshot, {{"snapshotID", "snap-of-b2"}});
  put_plugin_backup(cluster_, "snap-of-b2", "b2", {{"phase", "Completed"}, {"snapshotID", "snap-of-b2"}});
  ASSERT_TRUE(SnapshotCleanup(cluster_.context()).clean(backup(), runner_.bucket()->backups(), {}));
  EXPECT_THAT(storage_.calls(), Contains("delete " + kSnapshot));
  EXPECT_EQ(storage_.count("delete"), 1);
  EXPECT_EQ(resources().size(), 1U);
}

TEST_F(SnapshotBackup, GoesWithItsBackupAlsoIfTheServerDiedBeforeItKnewOfIt) {
  run();
  put_plugin_backup(cluster_, "snap-lost", "b1", {{"phase", "Completed"}, {"snapshotID", "snap-lost"}});
  end();
  ASSERT_TRUE(SnapshotCleanup(cluster_.context()).clean(backup(), runner_.bucket()->backups(), {}));
  EXPECT_THAT(storage_.calls(), Contains("delete snap-lost"));
  EXPECT_THAT(resources(), IsEmpty());
}

}  // namespace
}  // namespace landfall::control
