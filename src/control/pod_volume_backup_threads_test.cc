#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "base/manual_clock.h"
#include "control/pod_volume_backup_run.h"
#include "control/test_backup_runner.h"
#include "control/test_pod_volumes.h"
#include "control/test_stored_backups.h"
#include "control/tries.h"

namespace landfall::control {
namespace {

using json::Json;
using std::chrono::hours;
using std::chrono::seconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

// A namespace `shop`, whose pods are on node n1, which has an agent.
class PodVolumeBackup : public ::testing::Test {
 protected:
  PodVolumeBackup() {
    cluster_.create_location("default");
    cluster_.create_namespace("shop");
    put_agent(cluster_, "n1");
  }

  static BackupSettings settings(const PodVolumeSettings& volumes = {}) {
    BackupSettings settings = TestBackupRunner::built_in();
    settings.pod_volumes = volumes;
    return settings;
  }
  static Json spec(Json more = Json::object()) {
    Json spec = {{"includedNamespaces", {"shop"}}, {"defaultVolumesToFsBackup", true}};
    spec.update(more);
    return spec;
  }
  Json back_up(const Json& spec_of_it, const PlayedAgents::Play& play) {
    const PlayedAgents agents(cluster_, api::kPodVolumeBackup, play);
    const PlayedRepositories repositories(cluster_, {&uploader_});
    return TestBackupRunner(cluster_, settings()).back_up("b1", spec_of_it);
  }
  Json document(bucket::BackupArtifact artifact) {
    return TestCluster::must(TestBackupRunner(cluster_).bucket()->backups().read("b1", artifact, {})).value();
  }
  std::string errors() { return document(bucket::BackupArtifact::kResults)["errors"].dump(); }
  std::string warnings() { return document(bucket::BackupArtifact::kResults)["warnings"].dump(); }
  std::vector<Json> volume_backups() {
    return TestCluster::must(cluster_.objects(api::kPodVolumeBackup).list({}, {})).items;
  }
  // "pod volume", sorted.
  std::vector<std::string> taken() {
    std::vector<std::string> names;
    for (const Json& one : volume_backups()) {
      names.push_back(one["spec"]["pod"]["name"].get<std::string>() + " " + one["spec"]["volume"].get<std::string>());
    }
    std::ranges::sort(names);
    return names;
  }
  static Json done(const Json& /*one*/) { return PlayedAgents::completed("s1"); }

  TestCluster cluster_;
  ScriptedUploader uploader_;
};

TEST_F(PodVolumeBackup, MakesThemAsVeleroDid) {
  const Json claim = put_claim(cluster_, "shop", "books");
  const Json pod = put_pod(cluster_, "shop", pod_with("db-0", Json::array({claimed("data", "books"), scratch("tmp")})));

  const Json backup = back_up(spec({{"uploaderConfig", {{"parallelFilesUpload", 3}}}}), [](const Json& one) {
    return PlayedAgents::completed(one["spec"]["volume"] == "data" ? "s-data" : "s-tmp");
  });

  ASSERT_EQ(backup["status"]["phase"], "Completed") << errors();
  const auto made = volume_backups();
  ASSERT_EQ(made.size(), 2U);
  const bool is_first = made[0]["spec"]["volume"] == "data";
  const Json& data = made[is_first ? 0 : 1];
  const Json& tmp = made[is_first ? 1 : 0];
  const std::string uid = backup["metadata"]["uid"];
  EXPECT_THAT(data["metadata"]["name"].get<std::string>(), testing::StartsWith("b1-"));
  EXPECT_EQ(data["metadata"]["namespace"], "velero");
  EXPECT_EQ(data["metadata"]["labels"], (Json{{"velero.io/backup-name", "b1"},
                                              {"velero.io/backup-uid", uid},
                                              {"velero.io/pvc-uid", claim["metadata"]["uid"]}}));
  EXPECT_EQ(data["metadata"]["annotations"], (Json{{"velero.io/pvc-name", "books"}}));
  EXPECT_EQ(
      data["metadata"]["ownerReferences"],
      Json::array(
          {{{"apiVersion", "velero.io/v1"}, {"kind", "Backup"}, {"name", "b1"}, {"uid", uid}, {"controller", true}}}));
  EXPECT_EQ(data["spec"],
            (Json{{"node", "n1"},
                  {"pod", {{"kind", "Pod"}, {"namespace", "shop"}, {"name", "db-0"}, {"uid", pod["metadata"]["uid"]}}},
                  {"volume", "data"},
                  {"backupStorageLocation", "default"},
                  {"repoIdentifier", "here:default/restic/shop"},
                  {"uploaderType", "restic"},
                  {"uploaderSettings", {{"ParallelFilesUpload", "3"}}},
                  {"tags",
                   {{"backup", "b1"},
                    {"backup-uid", uid},
                    {"pod", "db-0"},
                    {"pod-uid", pod["metadata"]["uid"]},
                    {"ns", "shop"},
                    {"volume", "data"},
                    {"pvc-uid", claim["metadata"]["uid"]}}}}));
  EXPECT_FALSE(tmp["metadata"].contains("annotations"));
  EXPECT_FALSE(tmp["metadata"]["labels"].contains("velero.io/pvc-uid"));
  EXPECT_FALSE(tmp["spec"]["tags"].contains("pvc-uid"));

  const Json stored = document(bucket::BackupArtifact::kPodVolumeBackups);
  ASSERT_EQ(stored.size(), 2U);
  for (const Json& one : stored) {
    EXPECT_EQ(one["status"]["phase"], "Completed");
    EXPECT_EQ(one["kind"], "PodVolumeBackup");
  }
  const Json repository = cluster_.get(api::kBackupRepository, "shop-default-restic");
  EXPECT_EQ(repository["metadata"]["labels"], (Json{{"velero.io/volume-namespace", "shop"},
                                                    {"velero.io/storage-location", "default"},
                                                    {"velero.io/repository-type", "restic"}}));
  EXPECT_EQ(repository["spec"]["resticIdentifier"], "here:default/restic/shop");
  EXPECT_THAT(uploader_.calls(), ElementsAre("make default/restic/shop"));
}

TEST_F(PodVolumeBackup, AreInTheVolumeInformation) {
  put_claim(cluster_, "shop", "books");
  put_claim(cluster_, "shop", "skipped");
  put_pod(cluster_, "shop",
          pod_with("db-0", Json::array({claimed("data", "books"), scratch("tmp"), claimed("other", "skipped")}),
                   {{"backup.velero.io/backup-volumes-excludes", "other"}}));
  back_up(spec(), [](const Json& one) {
    return one["spec"]["volume"] == "data" ? PlayedAgents::completed("s-data") : PlayedAgents::failed("no reason");
  });
  const Json rows = document(bucket::BackupArtifact::kVolumeInfos);
  ASSERT_EQ(rows.size(), 3U) << rows.dump(1);
  EXPECT_EQ(rows[0], (Json{{"pvName", "pv-books"},
                           {"pvcName", "books"},
                           {"pvcNamespace", "shop"},
                           {"pvInfo", {{"reclaimPolicy", "Retain"}, {"labels", {{"tier", "gold"}}}}},
                           {"backupMethod", "PodVolumeBackup"},
                           {"snapshotDataMoved", false},
                           {"preserveLocalSnapshot", false},
                           {"skipped", false},
                           {"startTimestamp", "2030-01-01T00:00:01Z"},
                           {"completionTimestamp", "2030-01-01T00:00:09Z"},
                           {"result", "succeeded"},
                           {"pvbInfo",
                            {{"snapshotHandle", "s-data"},
                             {"size", 100},
                             {"incrementalSize", 7},
                             {"uploaderType", "restic"},
                             {"volumeName", "data"},
                             {"podName", "db-0"},
                             {"podNamespace", "shop"},
                             {"nodeName", "n1"},
                             {"Phase", "Completed"}}}}));
  EXPECT_EQ(rows[1]["pvName"], "pv-skipped");
  EXPECT_EQ(rows[1]["skipped"], true);
  EXPECT_THAT(rows[1]["skippedReason"].get<std::string>(), HasSubstr("podvolume: an annotation of pod shop/db-0"));
  EXPECT_FALSE(rows[2].contains("pvName"));
  EXPECT_EQ(rows[2]["result"], "failed");
  EXPECT_EQ(rows[2]["pvbInfo"]["volumeName"], "tmp");
}

TEST_F(PodVolumeBackup, TakesWhatIsAskedForAndCanBeTaken) {
  put_claim(cluster_, "shop", "shared");
  put_claim(cluster_, "shop", "local", {{"hostPath", {{"path", "/srv"}}}});
  const Json opt_in = {{"backup.velero.io/backup-volumes", "data,host"}};
  // The claim that three pods have: one of them does not run, and then it is taken once.
  put_pod(cluster_, "shop", pod_with("a-idle", Json::array({claimed("data", "shared")}), opt_in),
          {{"phase", "Pending"}});
  put_pod(cluster_, "shop",
          pod_with("b", Json::array({claimed("data", "shared"), claimed("host", "local"), scratch("tmp")}), opt_in));
  put_pod(cluster_, "shop", pod_with("c", Json::array({claimed("data", "shared")}), opt_in));
  put_pod(cluster_, "shop", pod_with("d", Json::array({scratch("data")})));

  const Json backup = back_up(spec({{"defaultVolumesToFsBackup", false}}), &done);

  EXPECT_EQ(backup["status"]["phase"], "Completed") << errors();
  EXPECT_THAT(taken(), ElementsAre("b data"));
  EXPECT_THAT(warnings(), AllOf(HasSubstr("the pod is not running"), HasSubstr("hostPath")));
  EXPECT_THAT(TestBackupRunner(cluster_).items("b1"), testing::IsSupersetOf({"pods shop/a-idle", "pods shop/b"}));
}

TEST_F(PodVolumeBackup, OneThatFailsIsAnErrorThatNamesIt) {
  put_pod(cluster_, "shop", pod_with("db-0", Json::array({scratch("data"), scratch("log")})));
  const Json backup = back_up(spec(), [](const Json& one) {
    return one["spec"]["volume"] == "data" ? PlayedAgents::failed("the disk is on fire") : done(one);
  });
  EXPECT_EQ(backup["status"]["phase"], "PartiallyFailed");
  EXPECT_EQ(backup["status"]["errors"], 1);
  EXPECT_THAT(errors(), HasSubstr("pod shop/db-0, volume data: the disk is on fire"));
  const Json stored = document(bucket::BackupArtifact::kPodVolumeBackups);
  ASSERT_EQ(stored.size(), 2U);
  std::map<std::string, std::string> phases;
  for (const Json& one : stored) phases[one["spec"]["volume"]] = one["status"]["phase"];
  EXPECT_EQ(phases, (std::map<std::string, std::string>{{"data", "Failed"}, {"log", "Completed"}}));
}

TEST_F(PodVolumeBackup, APodOnANodeWithoutAnAgentIsAnErrorAtOnce) {
  Json pod = pod_with("db-0", Json::array({scratch("data")}));
  pod["spec"]["nodeName"] = "n2";
  put_pod(cluster_, "shop", pod);
  put_agent(cluster_, "n3", "Pending");
  pod["metadata"]["name"] = "db-1";
  pod["spec"]["nodeName"] = "n3";
  put_pod(cluster_, "shop", pod);
  const Json backup = back_up(spec(), &done);
  EXPECT_EQ(backup["status"]["phase"], "PartiallyFailed");
  EXPECT_THAT(errors(), AllOf(HasSubstr("volume data: no node agent is running on node n2"),
                              HasSubstr("the node agent on node n3 is not running (Pending)")));
  EXPECT_THAT(volume_backups(), IsEmpty());
  EXPECT_THAT(TestBackupRunner(cluster_).items("b1"), Not(testing::Contains("pods shop/db-0")));
}

TEST_F(PodVolumeBackup, ARepositoryThatIsNotReadyIsTheReason) {
  put_pod(cluster_, "shop", pod_with("db-0", Json::array({scratch("data")})));
  uploader_.answer(fail(Code::kUnauthenticated, "another password"));
  EXPECT_EQ(back_up(spec(), &done)["status"]["phase"], "PartiallyFailed");
  EXPECT_THAT(errors(), HasSubstr("restic repository for the volumes of namespace shop in default is not ready: "
                                  "another password"));
  // The next backup asks again, although it was told so a moment ago.
  uploader_.answer({});
  const PlayedAgents agents(cluster_, api::kPodVolumeBackup, &done);
  const PlayedRepositories repositories(cluster_, {&uploader_});
  EXPECT_EQ(TestBackupRunner(cluster_, settings()).back_up("b2", spec())["status"]["phase"], "Completed");
  EXPECT_THAT(names_of(cluster_, api::kBackupRepository), ElementsAre("shop-default-restic"));
}

TEST_F(PodVolumeBackup, ARepositoryIsFoundByItsLabelsAndMadeOnce) {
  cluster_.create(api::kBackupRepository, {{"metadata",
                                            {{"name", "old-name-x7f2k"},
                                             {"labels",
                                              {{"velero.io/volume-namespace", "shop"},
                                               {"velero.io/storage-location", "default"},
                                               {"velero.io/repository-type", "restic"}}}}},
                                           {"spec",
                                            {{"volumeNamespace", "shop"},
                                             {"backupStorageLocation", "default"},
                                             {"repositoryType", "restic"},
                                             {"resticIdentifier", "s3:old"},
                                             {"maintenanceFrequency", "168h0m0s"}}},
                                           {"status", {{"phase", "Ready"}}}});
  Repositories one(cluster_.context(), seconds(60));
  EXPECT_EQ(one.ensure({"shop", "default", "restic"}, {}).value(), "s3:old");

  const PlayedRepositories repositories(cluster_, {&uploader_});
  std::vector<std::jthread> racers;
  racers.reserve(4);
  for (int i = 0; i < 4; ++i) {
    racers.emplace_back([this] {
      Repositories mine(cluster_.context(), seconds(60));
      EXPECT_EQ(mine.ensure({"bank", "default", "restic"}, {}).value(), "here:default/restic/bank");
    });
  }
  racers.clear();
  EXPECT_THAT(names_of(cluster_, api::kBackupRepository),
              UnorderedElementsAre("old-name-x7f2k", "bank-default-restic"));
}

TEST_F(PodVolumeBackup, WhatIsNotDoneInTimeIsToldToEnd) {
  put_pod(cluster_, "shop", pod_with("db-0", Json::array({scratch("data"), scratch("log")})));
  const PlayedAgents agents(cluster_, api::kPodVolumeBackup, [](const Json& one) {
    return one["spec"]["volume"] == "log" ? done(one) : Json{{"status", {{"phase", "InProgress"}}}};
  });
  const PlayedRepositories repositories(cluster_, {&uploader_});
  TestBackupRunner runner(cluster_, settings());
  cluster_.create(api::kBackup,
                  {{"metadata", {{"name", "b1"}, {"annotations", {{"velero.io/pod-volume-timeout", "1s"}}}}},
                   {"spec", spec()},
                   {"status", {{"phase", "ReadyToStart"}}}});
  ASSERT_TRUE(runner.run("b1"));
  EXPECT_EQ(cluster_.get(api::kBackup, "b1")["status"]["phase"], "FinalizingPartiallyFailed");
  EXPECT_THAT(errors(), HasSubstr("pod shop/db-0, volume data: not done within 1s: canceled"));
  EXPECT_THAT(errors(), Not(HasSubstr("volume log")));
  for (const Json& one : document(bucket::BackupArtifact::kPodVolumeBackups)) {
    EXPECT_EQ(one["status"]["phase"], one["spec"]["volume"] == "log" ? "Completed" : "Canceled");
  }
}

TEST_F(PodVolumeBackup, ACancelEndsThemAll) {
  put_pod(cluster_, "shop", pod_with("db-0", Json::array({scratch("data")})));
  const PlayedAgents agents(cluster_, api::kPodVolumeBackup, [this](const Json& one) {
    if (json::bool_or(one, {"spec", "cancel"}, false)) return Json();
    cluster_.running().cancel(api::kBackup, "b1");
    return Json{{"status", {{"phase", "InProgress"}}}};
  });
  const PlayedRepositories repositories(cluster_, {&uploader_});
  TestBackupRunner runner(cluster_, settings());
  runner.create("b1", spec());
  ASSERT_TRUE(runner.run("b1"));
  EXPECT_EQ(cluster_.get(api::kBackup, "b1")["status"]["canceled"], true);
  ASSERT_EQ(volume_backups().size(), 1U);
  EXPECT_EQ(volume_backups()[0]["status"]["phase"], "Canceled");
}

TEST_F(PodVolumeBackup, OneThatIsDeletedMeanwhileIsAnError) {
  put_pod(cluster_, "shop", pod_with("db-0", Json::array({scratch("data")})));
  const Json backup = back_up(spec(), [this](const Json& one) {
    TestCluster::must(cluster_.objects(api::kPodVolumeBackup).remove(one["metadata"]["name"], {}));
    return Json();
  });
  EXPECT_EQ(backup["status"]["phase"], "PartiallyFailed");
  EXPECT_THAT(errors(), AllOf(HasSubstr("pod shop/db-0, volume data: PodVolumeBackup b1-"), HasSubstr("was deleted")));
  EXPECT_EQ(document(bucket::BackupArtifact::kPodVolumeBackups), Json());
}

// The server died over the first try, of which one volume was done and one was not.
TEST_F(PodVolumeBackup, ASecondTryEndsWhatTheFirstHasBegun) {
  const Json pod = put_pod(cluster_, "shop", pod_with("db-0", Json::array({scratch("data"), scratch("log")})));
  TestBackupRunner runner(cluster_, settings());
  const Json backup = runner.create("b1", spec(), "InProgress");
  const auto leave = [&](const std::string& volume, const Json& status) {
    cluster_.create(
        api::kPodVolumeBackup,
        {{"metadata",
          {{"name", "b1-old-" + volume},
           {"labels", {{"velero.io/backup-name", "b1"}, {"velero.io/backup-uid", backup["metadata"]["uid"]}}}}},
         {"spec",
          {{"node", "n1"},
           {"pod", {{"kind", "Pod"}, {"namespace", "shop"}, {"name", "db-0"}}},
           {"volume", volume},
           {"backupStorageLocation", "default"},
           {"repoIdentifier", ""},
           {"uploaderType", "restic"}}},
         {"status", status}});
  };
  leave("data", {{"phase", "Completed"}, {"snapshotID", "s-old"}});
  leave("log", {{"phase", "InProgress"}});
  const PlayedAgents agents(cluster_, api::kPodVolumeBackup, &done);
  const PlayedRepositories repositories(cluster_, {&uploader_});
  ASSERT_TRUE(runner.run("b1"));
  ASSERT_TRUE(runner.finalize("b1"));

  EXPECT_EQ(cluster_.get(api::kBackup, "b1")["status"]["phase"], "Completed") << errors();
  EXPECT_TRUE(cluster_.get(api::kPodVolumeBackup, "b1-old-log")["spec"]["cancel"].get<bool>());
  EXPECT_EQ(volume_backups().size(), 4U);
  std::vector<std::string> stored;
  for (const Json& one : document(bucket::BackupArtifact::kPodVolumeBackups)) {
    stored.push_back(one["status"]["snapshotID"]);
  }
  EXPECT_THAT(stored, UnorderedElementsAre("s1", "s1", "s-old")) << "what has a snapshot is deleted with the backup";
  EXPECT_EQ(document(bucket::BackupArtifact::kVolumeInfos).size(), 2U);
}

// The agent was there when the volume was begun, and has gone since.
TEST_F(PodVolumeBackup, AVolumeSaysWithinSecondsWhatItWaitsFor) {
  const Json pod = put_pod(cluster_, "shop", pod_with("db-0", Json::array({scratch("data")})));
  const PlayedRepositories repositories(cluster_, {&uploader_});
  Repositories(cluster_.context(), seconds(60)).ensure({"shop", "default", "restic"}, {}).value();
  ManualClock clock;
  const Context context = with_clock(cluster_, clock);
  progress::ItemReporter progress(clock, Logger());
  const Json backup = TestBackupRunner(cluster_).create("b1", spec());
  PodVolumeBackupRun run(context, {.timeout = hours(24 * 365)}, backup, "default", progress, Logger());
  ASSERT_THAT(run.begin(pod, {"data"}, {}), IsEmpty());
  ASSERT_EQ(volume_backups().size(), 1U);
  const std::string name = volume_backups()[0]["metadata"]["name"];
  const auto message = [&] { return volume_backups()[0].value("status", Json::object()).value("message", ""); };
  const auto await_message = [&](const std::string& part) {
    const SteadyTime deadline = system_clock().after(seconds(60));
    while (message().find(part) == std::string::npos && system_clock().now() < deadline) {
      clock.advance(seconds(10));
      system_clock().sleep_for(std::chrono::milliseconds(5), {});
    }
    EXPECT_THAT(message(), HasSubstr(part));
  };

  PodVolumeBackupRun::Ended ended;
  std::atomic<bool> is_over = false;
  std::jthread waiting([&](const std::stop_token& stop) {
    ended = run.finish(stop, stop);
    is_over = true;
  });
  clock.await_waiters(1);
  clock.advance(seconds(10));
  await_message("waits for the node agent to take it, which copies a few volumes at a time");
  remove_pod(cluster_, "velero", "node-agent-n1");
  await_message("waits: no node agent is running on node n1");
  patch(cluster_, api::kPodVolumeBackup, name, PlayedAgents::completed("s1"));
  const SteadyTime give_up = system_clock().after(seconds(60));
  while (!is_over && system_clock().now() < give_up) {
    clock.advance(seconds(10));
    system_clock().sleep_for(std::chrono::milliseconds(5), {});
  }
  waiting.join();
  ASSERT_EQ(ended.volumes.size(), 1U);
  EXPECT_EQ(ended.volumes[0]["status"]["snapshotID"], "s1");
}

// A server that stops tells the volumes to end, and does not wait for it.
TEST_F(PodVolumeBackup, AStopOfTheServerWaitsForNobody) {
  put_pod(cluster_, "shop", pod_with("db-0", Json::array({scratch("data")})));
  std::stop_source server;
  SteadyTime stopped_at;
  const PlayedRepositories repositories(cluster_, {&uploader_});
  const Player dead_agent([&] {
    if (server.stop_requested() || volume_backups().empty()) return;
    stopped_at = system_clock().now();  // before the stop: whoever has heard of that may read it
    server.request_stop();
  });
  TestBackupRunner runner(cluster_, settings());
  runner.create("b1", spec());
  EXPECT_FALSE(runner.run("b1", server.get_token()));
  EXPECT_LT(system_clock().now() - stopped_at, kPodVolumeEndTime) << "that is what an agent gets";
  EXPECT_EQ(cluster_.get(api::kBackup, "b1")["status"]["phase"], "InProgress");
  EXPECT_TRUE(volume_backups()[0]["spec"]["cancel"].get<bool>());
}

}  // namespace
}  // namespace landfall::control
