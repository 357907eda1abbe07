#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "base/manual_clock.h"
#include "control/pod_volume_restore_run.h"
#include "control/test_backup_runner.h"
#include "control/test_pod_volumes.h"
#include "control/test_restore_runner.h"
#include "control/test_stored_backups.h"

namespace landfall::control {
namespace {

using json::Json;
using std::chrono::seconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Json completed() {
  return {{"status",
           {{"phase", "Completed"}, {"message", nullptr}, {"progress", {{"totalBytes", 100}, {"bytesDone", 100}}}}}};
}

// A backup `b1` of namespace shop: a pod db-0 with a claim and a scratch volume, whose data it has, and a pod web, of
// which it has none. Restored is into the namespace copy.
class PodVolumeRestore : public ::testing::Test {
 protected:
  PodVolumeRestore() {
    cluster_.create_location("default");
    cluster_.create_namespace("shop");
    put_agent(cluster_, "n1");
    put_claim(cluster_, "shop", "books");
    put_pod(cluster_, "shop", pod_with("db-0", Json::array({claimed("data", "books"), scratch("tmp")})));
    put_pod(cluster_, "shop", pod_with("web", Json::array({scratch("cache")})));
    BackupSettings settings = TestBackupRunner::built_in();
    settings.pod_volumes.emplace();
    const PlayedAgents agents(cluster_, api::kPodVolumeBackup, [](const Json& one) {
      const std::string volume = one["spec"]["volume"];
      // That volume was empty.
      return PlayedAgents::completed(volume == "cache" ? "" : "s-" + volume);
    });
    const PlayedRepositories repositories(cluster_, {&uploader_});
    const Json backup = TestBackupRunner(cluster_, settings)
                            .back_up("b1", {{"includedNamespaces", {"shop"}}, {"defaultVolumesToFsBackup", true}});
    if (backup["status"]["phase"] != "Completed") throw std::runtime_error(backup.dump());
  }

  static RestoreSettings settings() {
    RestoreSettings settings = TestRestoreRunner::built_in();
    settings.pod_volumes.emplace();
    return settings;
  }
  static Json spec(Json more = Json::object()) {
    Json spec = {{"backupName", "b1"}, {"namespaceMapping", {{"shop", "copy"}}}};
    spec.update(more);
    return spec;
  }
  // Up to where its finalizer takes over; its status then.
  Json restore(const Json& spec_of_it, const PlayedAgents::Play& play, const Json& annotations = Json::object()) {
    cluster_.create(api::kRestore,
                    {{"metadata", {{"name", "r1"}, {"annotations", annotations}}}, {"spec", spec_of_it}});
    return run(play);
  }
  Json run(const PlayedAgents::Play& play, const std::stop_token& stop = {}) {
    const PlayedAgents agents(cluster_, api::kPodVolumeRestore, play);
    const PlayedRepositories repositories(cluster_, {&uploader_});
    TestRestoreRunner runner(cluster_, settings());
    const Status ran = runner.run("r1", stop);
    if (!stop.stop_requested()) TestRestoreRunner::must(ran);
    return cluster_.get(api::kRestore, "r1")["status"];
  }
  Json document(bucket::RestoreArtifact artifact) {
    return TestCluster::must(TestBackupRunner(cluster_).bucket()->backups().read("r1", artifact, {})).value();
  }
  std::string errors() { return document(bucket::RestoreArtifact::kResults)["errors"].dump(); }
  std::vector<Json> volume_restores() {
    return TestCluster::must(cluster_.objects(api::kPodVolumeRestore).list({}, {})).items;
  }
  Json init_containers(const std::string& pod) {
    return TestCluster::must(pods_in(cluster_, "copy").get(pod, {}))["spec"].value("initContainers", Json::array());
  }

  TestCluster cluster_;
  ScriptedUploader uploader_;
};

TEST_F(PodVolumeRestore, FillsVolumesAsVeleroDid) {
  const Json status = restore(spec({{"uploaderConfig", {{"writeSparseFiles", true}, {"parallelFilesDownload", 2}}}}),
                              [](const Json&) { return completed(); });
  EXPECT_EQ(status["phase"], "Finalizing") << errors();

  const Json pod = TestCluster::must(pods_in(cluster_, "copy").get("db-0", {}));
  const Json claim = TestCluster::must(
      kube::Resource(cluster_.client(), {"", "v1", "persistentvolumeclaims"}, "copy").get("books", {}));
  const Json owner = cluster_.get(api::kRestore, "r1")["metadata"];
  const auto made = volume_restores();
  ASSERT_EQ(made.size(), 2U);
  const Json& data = made[made[0]["spec"]["volume"] == "data" ? 0 : 1];
  EXPECT_THAT(data["metadata"]["name"].get<std::string>(), testing::StartsWith("r1-"));
  EXPECT_EQ(data["metadata"]["labels"], (Json{{"velero.io/restore-name", "r1"},
                                              {"velero.io/restore-uid", owner["uid"]},
                                              {"velero.io/pod-uid", pod["metadata"]["uid"]},
                                              {"velero.io/pvc-uid", claim["metadata"]["uid"]}}));
  EXPECT_EQ(data["metadata"]["ownerReferences"], Json::array({{{"apiVersion", "velero.io/v1"},
                                                               {"kind", "Restore"},
                                                               {"name", "r1"},
                                                               {"uid", owner["uid"]},
                                                               {"controller", true}}}));
  EXPECT_EQ(data["spec"],
            (Json{{"pod", {{"kind", "Pod"}, {"namespace", "copy"}, {"name", "db-0"}, {"uid", pod["metadata"]["uid"]}}},
                  {"volume", "data"},
                  {"snapshotID", "s-data"},
                  {"snapshotSize", 100},
                  {"backupStorageLocation", "default"},
                  {"repoIdentifier", "here:default/restic/shop"},
                  {"uploaderType", "restic"},
                  {"sourceNamespace", "shop"},
                  {"uploaderSettings", {{"WriteSparseFiles", "true"}, {"ParallelFilesDownload", "2"}}}}));
  ASSERT_EQ(init_containers("db-0").size(), 1U);
  EXPECT_EQ(init_containers("db-0")[0]["name"], "restore-wait");
  EXPECT_EQ(init_containers("db-0")[0]["args"], Json::array({owner["uid"]}));
  EXPECT_THAT(init_containers("web"), IsEmpty()) << "nobody would ever let it go on";
  EXPECT_EQ(data["metadata"]["annotations"], (Json{{"velero.io/pvc-name", "books"}}));
  const auto info = [](const char* volume) {
    return Json{{"snapshotHandle", std::string("s-") + volume},
                {"size", 100},
                {"uploaderType", "restic"},
                {"volumeName", volume},
                {"podName", "db-0"},
                {"podNamespace", "copy"},
                {"Phase", ""}};
  };
  Json of_claim = {{"pvcName", "books"},         {"pvcNamespace", "copy"}, {"restoreMethod", "PodVolumeRestore"},
                   {"snapshotDataMoved", false}, {"result", "succeeded"},  {"bytesRestored", 100},
                   {"pvrInfo", info("data")}};
  Json of_scratch = of_claim;
  for (const char* key : {"pvcName", "pvcNamespace"}) of_scratch.erase(key);
  of_scratch["pvrInfo"] = info("tmp");
  EXPECT_EQ(document(bucket::RestoreArtifact::kVolumeInfos), Json::array({of_claim, of_scratch}));
}

TEST_F(PodVolumeRestore, IsNotOverBeforeItsVolumes) {
  std::string phase;
  std::string step;
  restore(spec(), [&](const Json& one) {
    if (one["spec"]["volume"] == "tmp") return completed();
    const Json status = cluster_.get(api::kRestore, "r1")["status"];
    phase = status["phase"];
    step = json::string_or(status, {"progress", "step"}, "");
    return step == "RestoringVolumes" ? completed() : Json();
  });
  EXPECT_EQ(phase, "InProgress");
  EXPECT_EQ(step, "RestoringVolumes");
}

TEST_F(PodVolumeRestore, AVolumeThatFailsIsAnErrorThatNamesIt) {
  const Json status = restore(spec(), [](const Json& one) {
    return one["spec"]["volume"] == "data" ? PlayedAgents::failed("the disk is full") : completed();
  });
  EXPECT_EQ(status["phase"], "FinalizingPartiallyFailed");
  EXPECT_EQ(status["errors"], 1);
  EXPECT_THAT(errors(), HasSubstr("pod copy/db-0, volume data: its data is not restored: the disk is full"));
}

TEST_F(PodVolumeRestore, WhatIsNotDoneInTimeIsToldToEnd) {
  const Json status =
      restore(spec(), [](const Json& one) { return one["spec"]["volume"] == "data" ? Json() : completed(); },
              {{"velero.io/pod-volume-timeout", "1s"}});
  EXPECT_EQ(status["phase"], "FinalizingPartiallyFailed");
  EXPECT_THAT(errors(), AllOf(HasSubstr("volume data: its data is not restored: not done within 1s: canceled"),
                              Not(HasSubstr("volume tmp"))));
}

TEST_F(PodVolumeRestore, OneThatIsDeletedMeanwhileIsAnError) {
  const Json status = restore(spec(), [this](const Json& one) {
    if (one["spec"]["volume"] == "tmp") return completed();
    TestCluster::must(cluster_.objects(api::kPodVolumeRestore).remove(one["metadata"]["name"], {}));
    return Json();
  });
  EXPECT_EQ(status["phase"], "FinalizingPartiallyFailed");
  EXPECT_THAT(errors(), HasSubstr("was deleted before it had ended"));
}

TEST_F(PodVolumeRestore, ACancelEndsThemAll) {
  const Json status = restore(spec(), [this](const Json& one) {
    if (json::bool_or(one, {"spec", "cancel"}, false) || volume_restores().size() < 2) return Json();
    // By then its watch has long shown both: of one that it has not seen yet it cannot say what became of it.
    const std::string step = json::string_or(cluster_.get(api::kRestore, "r1"), {"status", "progress", "step"}, "");
    if (step != "RestoringVolumes") return Json();
    cluster_.running().cancel(api::kRestore, "r1");
    return Json{{"status", {{"phase", "InProgress"}}}};
  });
  EXPECT_EQ(status["canceled"], true) << status.dump(1);
  for (const Json& one : volume_restores()) EXPECT_TRUE(json::bool_or(one, {"spec", "cancel"}, false)) << one.dump(1);
  EXPECT_THAT(errors(), HasSubstr("volume data: its data is not restored: the restore was stopped before"));
}

TEST_F(PodVolumeRestore, AnotherProcessWaitsForWhatTheFirstHasMade) {
  std::stop_source server;
  cluster_.create(api::kRestore, {{"metadata", {{"name", "r1"}}}, {"spec", spec()}});
  run(
      [&](const Json&) {
        if (volume_restores().size() == 2) server.request_stop();
        return Json();
      },
      server.get_token());
  EXPECT_EQ(cluster_.get(api::kRestore, "r1")["status"]["phase"], "InProgress");
  ASSERT_EQ(volume_restores().size(), 2U);
  for (const Json& one : volume_restores()) EXPECT_FALSE(one["spec"].contains("cancel")) << "they are left to the next";
  const std::string first = volume_restores()[0]["metadata"]["name"];

  const Json status = run([&](const Json& one) {
    return one["metadata"]["name"] == first ? PlayedAgents::failed("no luck") : completed();
  });
  EXPECT_EQ(status["phase"], "FinalizingPartiallyFailed");
  EXPECT_THAT(errors(), HasSubstr("no luck"));
  EXPECT_EQ(volume_restores().size(), 2U);
}

TEST_F(PodVolumeRestore, WhoLeavesOutClaimsLeavesOutTheirData) {
  const Json status =
      restore(spec({{"excludedResources", {"persistentvolumeclaims"}}}), [](const Json&) { return Json(); });
  EXPECT_EQ(status["phase"], "Finalizing") << errors();
  EXPECT_THAT(volume_restores(), IsEmpty());
  EXPECT_THAT(init_containers("db-0"), IsEmpty());
}

TEST_F(PodVolumeRestore, ItIsAnErrorThatTheVolumeBackupsAreNowhere) {
  StoredBackups(cluster_).remove("backups/b1/b1-podvolumebackups.json.gz");
  for (const std::string& name : names_of(cluster_, api::kPodVolumeBackup)) {
    TestCluster::must(cluster_.objects(api::kPodVolumeBackup).remove(name, {}));
  }
  const Json status = restore(spec(), [](const Json&) { return completed(); });
  EXPECT_EQ(status["phase"], "FinalizingPartiallyFailed");
  EXPECT_THAT(errors(), HasSubstr("none of its PodVolumeBackups is there"));
  EXPECT_THAT(init_containers("db-0"), IsEmpty());
}

TEST_F(PodVolumeRestore, ARepositoryThatIsNotReadyIsTheReason) {
  patch(cluster_, api::kBackupRepository, "shop-default-restic", {{"status", {{"phase", "NotReady"}}}});
  uploader_.answer(fail(Code::kUnauthenticated, "another password"));
  const Json status = restore(spec(), [](const Json&) { return completed(); });
  EXPECT_EQ(status["phase"], "FinalizingPartiallyFailed");
  EXPECT_THAT(errors(), AllOf(HasSubstr("volume data: "), HasSubstr("is not ready: another password")));
  EXPECT_THAT(volume_restores(), IsEmpty());
}

// What a backup has twice, since its server was restarted, is restored from the newer.
TEST_F(PodVolumeRestore, TheNewestSnapshotOfAVolumeCounts) {
  for (const Json& one : TestCluster::must(cluster_.objects(api::kPodVolumeBackup).list({}, {})).items) {
    if (one["spec"]["volume"] != "tmp") continue;
    for (const auto& [name, ended] :
         {std::pair("b1-0", "2029-01-01T00:00:00Z"), std::pair("b1-zz", "2031-01-01T00:00:00Z")}) {
      Json other = one;
      other["metadata"] = {{"name", name}, {"labels", one["metadata"]["labels"]}};
      other["status"]["snapshotID"] = std::string("s-") + name;
      other["status"]["completionTimestamp"] = ended;
      cluster_.create(api::kPodVolumeBackup, other);
    }
  }
  restore(spec(), [](const Json&) { return completed(); });
  ASSERT_EQ(volume_restores().size(), 2U);
  for (const Json& one : volume_restores()) {
    EXPECT_EQ(one["spec"]["snapshotID"], one["spec"]["volume"] == "tmp" ? "s-b1-zz" : "s-data");
  }
}

TEST_F(PodVolumeRestore, AVolumeSaysWithinSecondsWhatItWaitsFor) {
  const PlayedRepositories repositories(cluster_, {&uploader_});
  cluster_.create_namespace("copy");
  Json pod = pod_with("db-0", Json::array({scratch("tmp")}));
  pod["spec"].erase("nodeName");
  pod = put_pod(
      cluster_, "copy", pod,
      {{"phase", "Pending"},
       {"conditions", {{{"type", "PodScheduled"}, {"status", "False"}, {"message", "0/1 nodes are available"}}}}});
  ManualClock clock;
  const Context context = with_clock(cluster_, clock);
  progress::ItemReporter progress(clock, Logger());
  const Json made = cluster_.create(api::kRestore, {{"metadata", {{"name", "r1"}}}, {"spec", spec()}});
  const auto backups = TestCluster::must(cluster_.objects(api::kPodVolumeBackup).list({}, {})).items;
  PodVolumeRestoreRun run(context, {.timeout = std::chrono::hours(24 * 365)}, made, backups, progress, Logger());
  const Status begun = run.begin(pod, "shop", {});
  ASSERT_TRUE(begun) << begun.error().message();
  ASSERT_EQ(volume_restores().size(), 1U) << "the pod has one of the two volumes";

  std::vector<std::string> problems;
  std::atomic<bool> is_over = false;
  std::jthread waiting([&](const std::stop_token& stop) {
    problems = run.wait(stop);
    is_over = true;
  });
  const auto message = [&] { return volume_restores()[0].value("status", Json::object()).value("message", ""); };
  const auto await_message = [&](const std::string& part) {
    const SteadyTime deadline = system_clock().after(seconds(60));
    while (message().find(part) == std::string::npos && system_clock().now() < deadline) {
      clock.advance(seconds(10));
      system_clock().sleep_for(std::chrono::milliseconds(5), {});
    }
    EXPECT_THAT(message(), HasSubstr(part));
  };
  await_message("waits: the pod is on no node: 0/1 nodes are available");
  remove_pod(cluster_, "copy", "db-0");
  await_message("waits: the pod is gone");
  pod = pod_with("db-0", Json::array({scratch("tmp")}));
  pod["spec"]["nodeName"] = "n2";
  put_pod(cluster_, "copy", pod, {{"phase", "Pending"}});
  await_message("waits: no node agent is running on node n2");
  const std::string name = volume_restores()[0]["metadata"]["name"];
  patch(cluster_, api::kPodVolumeRestore, name, PlayedAgents::failed("gave up"));
  const SteadyTime give_up = system_clock().after(seconds(60));
  while (!is_over && system_clock().now() < give_up) {
    clock.advance(seconds(10));
    system_clock().sleep_for(std::chrono::milliseconds(5), {});
  }
  waiting.join();
  EXPECT_THAT(problems, ElementsAre("pod copy/db-0, volume tmp: its data is not restored: gave up"));
}

}  // namespace
}  // namespace landfall::control
