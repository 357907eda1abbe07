#include "control/backup_run_reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "control/test_backup_runner.h"
#include "io/file.h"
#include "json/access.h"
#include "testkit/gate.h"

namespace landfall::control {
namespace {

using json::Json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string problem(const Status& status) { return status ? "" : status.error().message(); }

class BackupRun : public ::testing::Test {
 protected:
  BackupRun() {
    cluster_.create_location("default");
    cluster_.create_namespace("shop", {{"team", "books"}});
    config_map("shop", "settings", {{"app", "web"}});
    config_map("shop", "left-out", {{"velero.io/exclude-from-backup", "true"}});
    cluster_.create_namespace("other");
    config_map("other", "settings", Json::object());
  }

  void config_map(const std::string& name_space, const std::string& name, const Json& labels) {
    cluster_.create({"", "v1", "configmaps"}, name_space,
                    {{"metadata", {{"name", name}, {"labels", labels}}}, {"data", {{"key", "<&> ünï"}}}});
  }
  std::string phase(const std::string& name) {
    return json::string_or(cluster_.get(api::kBackup, name), {"status", "phase"}, "");
  }
  std::vector<std::string> files(const std::string& name) {
    std::vector<std::string> found;
    const std::filesystem::path folder = std::filesystem::path(cluster_.bucket()) / "backups" / name;
    if (!std::filesystem::exists(folder)) return found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) found.push_back(entry.path());
    return found;
  }

  TestCluster cluster_;
  TestBackupRunner runner_{cluster_};
};

TEST_F(BackupRun, StoresOneNamespace) {
  const Json backup = runner_.back_up("b1", {{"includedNamespaces", {"shop"}}});

  EXPECT_EQ(backup["status"]["phase"].get<std::string>(), "Completed") << backup.dump(1);
  EXPECT_THAT(runner_.items("b1"), ElementsAre("configmaps shop/kube-root-ca.crt", "configmaps shop/settings",
                                               "namespaces shop", "serviceaccounts shop/default"));
  EXPECT_EQ(backup["status"]["progress"]["totalItems"].get<int>(), 4);
  EXPECT_EQ(backup["status"]["progress"]["itemsBackedUp"].get<int>(), 4);
  EXPECT_TRUE(runner_.verify("b1").is_whole());
  EXPECT_TRUE(runner_.verify("b1").has_checksums);
  EXPECT_EQ(backup["spec"]["ttl"].get<std::string>(), "720h0m0s");
  EXPECT_EQ(backup["metadata"]["labels"]["velero.io/storage-location"].get<std::string>(), "default");
  EXPECT_EQ(backup["metadata"]["annotations"]["velero.io/source-cluster-k8s-minor-version"].get<std::string>(), "34");
}

TEST_F(BackupRun, PassesObjectsThroughUnchanged) {
  runner_.back_up("b1", {{"includedNamespaces", {"shop"}}});
  const archive::SpooledArchive archive = runner_.archive("b1");
  const auto item = archive.index().find({"", "configmaps"}, "shop", "settings");
  ASSERT_TRUE(item);
  const Json stored = json::parse(archive.content(*item).value()).value();
  const Json live =
      TestCluster::must(kube::Resource(cluster_.client(), {"", "v1", "configmaps"}, "shop").get("settings", {}));
  EXPECT_EQ(stored, live);
}

TEST_F(BackupRun, WithoutFiltersHoldsEveryClusterScopedResourceToo) {
  cluster_.create({"storage.k8s.io", "v1", "storageclasses"}, "",
                  {{"metadata", {{"name", "fast"}}}, {"provisioner", "example.com/none"}});
  runner_.back_up("all", Json::object());
  EXPECT_THAT(runner_.items("all"), Contains("storageclasses.storage.k8s.io fast"));
  EXPECT_THAT(runner_.items("all"), Contains("configmaps other/settings"));
}

TEST_F(BackupRun, AddsTheDefinitionsOfCustomResources) {
  runner_.back_up("own", {{"includedNamespaces", {"velero"}}, {"includedNamespaceScopedResources", {"bsl"}}});
  EXPECT_THAT(runner_.items("own"),
              ElementsAre("backupstoragelocations.velero.io velero/default",
                          "customresourcedefinitions.apiextensions.k8s.io backupstoragelocations.velero.io",
                          "namespaces velero"));
}

TEST_F(BackupRun, TakesWhatAPodNeedsWithIt) {
  cluster_.create({"scheduling.k8s.io", "v1", "priorityclasses"}, "", {{"metadata", {{"name", "high"}}}, {"value", 5}});
  cluster_.create({"", "v1", "persistentvolumes"}, "",
                  {{"metadata", {{"name", "pv-1"}}},
                   {"spec",
                    {{"capacity", {{"storage", "1Gi"}}},
                     {"accessModes", {"ReadWriteOnce"}},
                     {"persistentVolumeReclaimPolicy", "Retain"},
                     {"claimRef", {{"namespace", "shop"}, {"name", "data"}}},
                     {"hostPath", {{"path", "/nowhere"}}}}}});
  cluster_.create({"", "v1", "persistentvolumeclaims"}, "shop",
                  {{"metadata", {{"name", "data"}}},
                   {"spec",
                    {{"accessModes", {"ReadWriteOnce"}},
                     {"volumeName", "pv-1"},
                     {"resources", {{"requests", {{"storage", "1Gi"}}}}}}}});
  kube::Resource(cluster_.client(), {"", "v1", "persistentvolumeclaims"}, "shop")
      .patch("data", kube::PatchType::kMerge, {{"status", {{"phase", "Bound"}}}}, {}, {.subresource = "status"})
      .value();
  cluster_.create({"", "v1", "pods"}, "shop",
                  {{"metadata", {{"name", "db"}, {"labels", {{"app", "db"}}}}},
                   {"spec",
                    {{"priorityClassName", "high"},
                     {"containers", {{{"name", "db"}, {"image", "busybox"}}}},
                     {"volumes", {{{"name", "data"}, {"persistentVolumeClaim", {{"claimName", "data"}}}}}}}}});

  const Json backup = runner_.back_up("by-label", {{"labelSelector", {{"matchLabels", {{"app", "db"}}}}}});

  EXPECT_THAT(runner_.items("by-label"),
              ElementsAre("namespaces shop", "persistentvolumeclaims shop/data", "persistentvolumes pv-1",
                          "pods shop/db", "priorityclasses.scheduling.k8s.io high"));
  EXPECT_EQ(backup["status"]["progress"]["totalItems"].get<int>(), 5);
  const Json volumes =
      TestCluster::must(runner_.bucket()->backups().read("by-label", bucket::BackupArtifact::kVolumeInfos, {})).value();
  ASSERT_EQ(volumes.size(), 1U);
  EXPECT_EQ(volumes[0]["pvName"].get<std::string>(), "pv-1");
  EXPECT_EQ(volumes[0]["pvcNamespace"].get<std::string>(), "shop");
  EXPECT_TRUE(volumes[0]["skipped"].get<bool>());
  EXPECT_THAT(volumes[0]["skippedReason"].get<std::string>(), HasSubstr("podvolume: "));
  EXPECT_THAT(volumes[0]["skippedReason"].get<std::string>(), HasSubstr("volumeSnapshot: "));
}

TEST_F(BackupRun, TheOlderNameOfFileBackupsWinsOnlyWhenItSaysYes) {
  cluster_.create({"", "v1", "pods"}, "shop",
                  {{"metadata", {{"name", "db"}}},
                   {"spec",
                    {{"containers", {{{"name", "db"}, {"image", "busybox"}}}},
                     {"volumes", Json::array({{{"name", "scratch"}, {"emptyDir", Json::object()}}})}}}});
  const auto warnings = [&](const std::string& name, bool older, bool newer) {
    const Json backup = runner_.back_up(
        name,
        {{"includedNamespaces", {"shop"}}, {"defaultVolumesToRestic", older}, {"defaultVolumesToFsBackup", newer}});
    return json::int_or(backup, {"status", "warnings"}, 0);  // one for each volume: the pod does not run
  };
  EXPECT_EQ(warnings("b1", false, true), 1);
  EXPECT_EQ(warnings("b2", true, false), 1);
  EXPECT_EQ(warnings("b3", false, false), 0);
}

TEST_F(BackupRun, GoesByTheGlobalVolumePoliciesToo) {
  cluster_.create({"", "v1", "persistentvolumes"}, "",
                  {{"metadata", {{"name", "pv-1"}}},
                   {"spec",
                    {{"capacity", {{"storage", "1Gi"}}},
                     {"accessModes", {"ReadWriteOnce"}},
                     {"nfs", {{"server", "s"}, {"path", "/"}}}}}});
  cluster_.create(
      {"", "v1", "configmaps"}, "velero",
      {{"metadata", {{"name", "global"}}},
       {"data", {{"p", "version: v1\nvolumePolicies:\n- conditions: {nfs: {}}\n  action: {type: skip}\n"}}}});
  BackupSettings settings = TestBackupRunner::built_in();
  settings.global_policies = "global";
  TestBackupRunner runner(cluster_, settings);
  const Json backup = runner.back_up("b1", {{"includedClusterScopedResources", {"persistentvolumes"}}});
  EXPECT_EQ(backup["metadata"]["annotations"]["velero.io/global-backup-volume-policy-configmap"].get<std::string>(),
            "global");
  const Json volumes =
      TestCluster::must(runner.bucket()->backups().read("b1", bucket::BackupArtifact::kVolumeInfos, {})).value();
  ASSERT_EQ(volumes.size(), 1U);
  EXPECT_THAT(volumes[0]["skippedReason"].get<std::string>(), HasSubstr("the volume policy says skip"));
}

struct BadInput {
  const char* what;
  Json spec;
  const char* says;
};
class BadBackup : public BackupRun, public testing::WithParamInterface<BadInput> {};

TEST_P(BadBackup, IsRefusedWithAReason) {
  cluster_.create_location("unreachable");
  kube::Resource(cluster_.client(), api::kBackupStorageLocation.resource(), "velero")
      .patch("unreachable", kube::PatchType::kMerge,
             {{"status", {{"phase", "Unavailable"}, {"message", "no such bucket"}}}}, {})
      .value();
  cluster_.create_location("read-only", {{"accessMode", "ReadOnly"}});
  const auto policy = [&](const char* name, const char* text) {
    cluster_.create({"", "v1", "configmaps"}, "velero", {{"metadata", {{"name", name}}}, {"data", {{"p", text}}}});
  };
  policy("bad-yaml", "version: v1\nvolumePolicies: [");
  policy("bad-version", "version: v9\nvolumePolicies: []\n");

  runner_.create("bad", GetParam().spec);
  ASSERT_EQ(problem(runner_.run("bad")), "");

  const Json backup = cluster_.get(api::kBackup, "bad");
  EXPECT_EQ(backup["status"]["phase"].get<std::string>(), "FailedValidation") << backup.dump(1);
  EXPECT_THAT(backup["status"]["validationErrors"].dump(), HasSubstr(GetParam().says));
  EXPECT_THAT(files("bad"), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    All, BadBackup,
    testing::Values(
        BadInput{"UnknownLocation", {{"storageLocation", "nowhere"}}, "nowhere does not exist"},
        BadInput{"UnavailableLocation", {{"storageLocation", "unreachable"}}, "not available: no such bucket"},
        BadInput{"ReadOnlyLocation", {{"storageLocation", "read-only"}}, "read-only"},
        BadInput{"OldAndNewFilters",
                 {{"includedResources", {"pods"}}, {"includedNamespaceScopedResources", {"pods"}}},
                 "cannot be used together"},
        BadInput{"InAndOut", {{"includedNamespaces", {"shop"}}, {"excludedNamespaces", {"shop"}}}, "shop"},
        BadInput{"BadSelector",
                 {{"labelSelector", {{"matchExpressions", {{{"key", "a"}, {"operator", "Near"}}}}}}},
                 "labelSelector"},
        BadInput{"BothSelectors",
                 {{"labelSelector", {{"matchLabels", {{"a", "b"}}}}},
                  {"orLabelSelectors", {{{"matchLabels", {{"a", "b"}}}}}}},
                 "orLabelSelectors"},
        BadInput{"BadTtl", {{"ttl", "soon"}}, "spec.ttl"}, BadInput{"NegativeTtl", {{"ttl", "-1h"}}, "spec.ttl"},
        BadInput{"MissingPolicy", {{"resourcePolicy", {{"kind", "configmap"}, {"name", "gone"}}}}, "gone"},
        BadInput{"BadPolicyYaml", {{"resourcePolicy", {{"kind", "configmap"}, {"name", "bad-yaml"}}}}, "bad-yaml"},
        BadInput{"BadPolicyVersion", {{"resourcePolicy", {{"kind", "configmap"}, {"name", "bad-version"}}}}, "v9"},
        BadInput{"BadPolicyKind", {{"resourcePolicy", {{"kind", "Secret"}, {"name", "x"}}}}, "ConfigMap"},
        BadInput{"UnknownSnapshotLocation", {{"volumeSnapshotLocations", {"nowhere"}}}, "nowhere does not exist"}),
    [](const auto& one) { return one.param.what; });

TEST_F(BackupRun, RefusesANameThatTheBucketHasAlready) {
  runner_.back_up("b1", {{"includedNamespaces", {"shop"}}});
  TestCluster::must(cluster_.objects(api::kBackup).remove("b1", {}));
  runner_.create("b1", {{"includedNamespaces", {"shop"}}});
  ASSERT_EQ(problem(runner_.run("b1")), "");
  const Json backup = cluster_.get(api::kBackup, "b1");
  EXPECT_EQ(backup["status"]["phase"].get<std::string>(), "FailedValidation");
  EXPECT_THAT(backup["status"]["validationErrors"].dump(), HasSubstr("already holds a backup named b1"));
  EXPECT_TRUE(runner_.verify("b1").is_whole());
}

TEST_F(BackupRun, TakesLongNamesAsFarAsTheLocationCan) {
  const std::string longest(227, 'n');  // with the longest of the files' endings 255
  EXPECT_EQ(runner_.back_up(longest, {{"includedNamespaces", {"shop"}}})["status"]["phase"].get<std::string>(),
            "Completed");
  EXPECT_TRUE(runner_.verify(longest).is_whole());
  const std::string too_long(253, 'n');
  runner_.create(too_long, {{"includedNamespaces", {"shop"}}});
  ASSERT_EQ(problem(runner_.run(too_long)), "");
  EXPECT_THAT(cluster_.get(api::kBackup, too_long)["status"]["validationErrors"].dump(), HasSubstr("too long"));
}

TEST_F(BackupRun, RunsAgainWhatADeadServerLeftInProgress) {
  runner_.create("b1", {{"includedNamespaces", {"shop"}}}, "InProgress");
  const std::filesystem::path folder = std::filesystem::path(cluster_.bucket()) / "backups" / "b1";
  std::filesystem::create_directories(folder);
  ASSERT_TRUE(io::write_file(folder / "b1.tar.gz", "half of it", {}));
  ASSERT_TRUE(io::write_file(folder / "b1-leftover", "of another try", {}));

  ASSERT_EQ(problem(runner_.run("b1")), "");
  ASSERT_EQ(problem(runner_.finalize("b1")), "");
  EXPECT_EQ(phase("b1"), "Completed");
  EXPECT_TRUE(runner_.verify("b1").is_whole());
  EXPECT_THAT(files("b1"), Not(Contains(HasSubstr("leftover"))));
}

TEST_F(BackupRun, GoesOnFromWhereAStoredBackupWasLeft) {
  const Json created = runner_.create("b1", {{"includedNamespaces", {"shop"}}});
  ASSERT_EQ(problem(runner_.run("b1")), "");
  ASSERT_EQ(phase("b1"), "Finalizing");
  // The server died between storing the backup and saying so.
  const auto backups = cluster_.objects(api::kBackup);
  TestCluster::must(backups.patch("b1", kube::PatchType::kMerge, {{"status", {{"phase", "InProgress"}}}}, {}));
  config_map("shop", "later", Json::object());

  ASSERT_EQ(problem(runner_.run("b1")), "");
  EXPECT_EQ(phase("b1"), "Finalizing");
  ASSERT_EQ(problem(runner_.finalize("b1")), "");
  EXPECT_EQ(phase("b1"), "Completed");
  EXPECT_THAT(runner_.items("b1"), Not(Contains("configmaps shop/later")));
}

// An action that waits until it is told to stop.
class Endless final : public extension::BackupItemAction {
 public:
  explicit Endless(testkit::Gate& entered) : entered_(entered) {}
  std::string name() const override { return "test/endless"; }
  extension::ActionScope scope() const override { return {.included_resources = {"configmaps"}}; }
  Result<extension::BackupActionResult> execute(const Json& /*item*/, const Json& /*backup*/,
                                                const std::stop_token& stop) override {
    entered_.open();
    system_clock().sleep_for(std::chrono::minutes(5), stop);
    return fail(Code::kCancelled, "stopped");
  }

 private:
  testkit::Gate& entered_;
};

class SlowBackupRun : public BackupRun {
 protected:
  SlowBackupRun() {
    settings_.make_actions = [this](kube::Client&, const kube::Discovery&) {
      std::vector<std::unique_ptr<extension::BackupItemAction>> actions;
      actions.push_back(std::make_unique<Endless>(entered_));
      return actions;
    };
  }
  testkit::Gate entered_;
  BackupSettings settings_;
};

TEST_F(SlowBackupRun, IsCanceledAndLeavesNothing) {
  TestBackupRunner slow(cluster_, settings_);
  slow.create("b1", {{"includedNamespaces", {"shop"}}});
  std::jthread user([&] {
    entered_.await();
    const Json now = cluster_.get(api::kBackup, "b1");
    Json after = now;
    after["spec"]["cancel"] = true;
    cancel_if_wanted(api::kBackup,
                     {.name = {"velero", "b1"}, .before = {}, .after = std::make_shared<const Json>(after)},
                     cluster_.running());
  });
  ASSERT_EQ(problem(slow.run("b1")), "");
  const Json backup = cluster_.get(api::kBackup, "b1");
  EXPECT_EQ(backup["status"]["phase"].get<std::string>(), "Failed");
  EXPECT_EQ(backup["status"]["failureReason"].get<std::string>(), "canceled");
  EXPECT_TRUE(backup["status"]["canceled"].get<bool>());
  EXPECT_THAT(files("b1"), IsEmpty());
  EXPECT_FALSE(cluster_.running().is_running(api::kBackup, "b1"));
}

TEST_F(SlowBackupRun, ShowsItsProgressInMetricsForAsLongAsItRuns) {
  TestBackupRunner slow(cluster_, settings_);
  slow.create("b1", {{"includedNamespaces", {"shop"}}});
  bool was_shown = false;
  std::jthread user([&] {
    const SteadyTime deadline = system_clock().after(std::chrono::seconds(60));
    while (!was_shown && system_clock().now() < deadline) {
      was_shown =
          cluster_.metrics().text().find("landfall_backup_progress_items_total{backup=\"b1\"} 4") != std::string::npos;
      system_clock().sleep_for(std::chrono::milliseconds(5), {});
    }
    cluster_.running().cancel(api::kBackup, "b1");
  });
  ASSERT_EQ(problem(slow.run("b1")), "");
  user.join();
  EXPECT_TRUE(was_shown);
  EXPECT_THAT(cluster_.metrics().text(), Not(HasSubstr("backup=\"b1\"")));
}

TEST_F(SlowBackupRun, StaysInProgressWhenTheServerStops) {
  TestBackupRunner slow(cluster_, settings_);
  slow.create("b1", {{"includedNamespaces", {"shop"}}});
  std::stop_source server;
  std::jthread signal([&] {
    entered_.await();
    server.request_stop();
  });
  EXPECT_FALSE(slow.run("b1", server.get_token()));
  EXPECT_EQ(phase("b1"), "InProgress");
  // The next server has it done; a last word of the first one may come late, and then it looks again.
  std::string said = problem(runner_.run("b1"));
  if (said.find("has been modified") != std::string::npos) said = problem(runner_.run("b1"));
  ASSERT_EQ(said, "");
  ASSERT_EQ(problem(runner_.finalize("b1")), "");
  EXPECT_EQ(phase("b1"), "Completed");
}

TEST_F(BackupRun, DoesNotStartWhatIsToBeCanceled) {
  runner_.create("b1", {{"includedNamespaces", {"shop"}}, {"cancel", true}});
  ASSERT_EQ(problem(runner_.run("b1")), "");
  EXPECT_EQ(phase("b1"), "Failed");
  EXPECT_THAT(files("b1"), IsEmpty());
}

TEST_F(BackupRun, FailsWhenItCannotBeStored) {
  runner_.create("b1", {{"includedNamespaces", {"shop"}}});
  // A file where the folder of the backup belongs.
  std::filesystem::create_directories(std::filesystem::path(cluster_.bucket()) / "backups");
  ASSERT_TRUE(io::write_file(std::filesystem::path(cluster_.bucket()) / "backups" / "b1", "in the way", {}));
  ASSERT_EQ(problem(runner_.run("b1")), "");
  const Json backup = cluster_.get(api::kBackup, "b1");
  EXPECT_EQ(backup["status"]["phase"].get<std::string>(), "Failed");
  EXPECT_THAT(backup["status"]["failureReason"].get<std::string>(), HasSubstr("store the backup"));
}

TEST_F(SlowBackupRun, LeavesAnotherBackupOfItsNameAlone) {
  TestBackupRunner slow(cluster_, settings_);
  slow.create("b1", {{"includedNamespaces", {"other"}}});
  std::jthread user([&] {
    entered_.await();
    TestCluster::must(cluster_.objects(api::kBackup).remove("b1", {}));
    runner_.create("b1", {{"includedNamespaces", {"shop"}}}, "New");
    cancel_if_wanted(api::kBackup, {.name = {"velero", "b1"}, .before = {}, .after = {}}, cluster_.running());
  });
  ASSERT_EQ(problem(slow.run("b1")), "");
  const Json backup = cluster_.get(api::kBackup, "b1");
  EXPECT_EQ(backup["status"], (Json{{"phase", "New"}}));
  EXPECT_THAT(files("b1"), IsEmpty());
}

TEST_F(BackupRun, IsRefusedWhereTheBucketHoldsWhatCannotBeRead) {
  const std::filesystem::path folder = std::filesystem::path(cluster_.bucket()) / "backups" / "b1";
  std::filesystem::create_directories(folder);
  ASSERT_TRUE(io::write_file(folder / "velero-backup.json", "{broken", {}));
  runner_.create("b1", {{"includedNamespaces", {"shop"}}});
  ASSERT_EQ(problem(runner_.run("b1")), "");
  EXPECT_EQ(phase("b1"), "FailedValidation");
  EXPECT_THAT(files("b1"), Contains(HasSubstr("velero-backup.json")));
}

TEST_F(BackupRun, CanceledAfterACrashLeavesNothing) {
  runner_.create("b1", {{"includedNamespaces", {"shop"}}, {"cancel", true}}, "InProgress");
  const std::filesystem::path folder = std::filesystem::path(cluster_.bucket()) / "backups" / "b1";
  std::filesystem::create_directories(folder);
  ASSERT_TRUE(io::write_file(folder / "b1.tar.gz", "half of it", {}));
  ASSERT_EQ(problem(runner_.run("b1")), "");
  EXPECT_EQ(phase("b1"), "Failed");
  EXPECT_THAT(files("b1"), IsEmpty());
  EXPECT_TRUE(cluster_.get(api::kBackup, "b1")["status"].contains("expiration"));
}

TEST_F(BackupRun, IsCanceledEvenWhenItIsStored) {
  runner_.create("b1", {{"includedNamespaces", {"shop"}}});
  ASSERT_EQ(problem(runner_.run("b1")), "");
  TestCluster::must(
      cluster_.objects(api::kBackup).patch("b1", kube::PatchType::kMerge, {{"spec", {{"cancel", true}}}}, {}));
  ASSERT_EQ(problem(runner_.finalize("b1")), "");
  EXPECT_EQ(phase("b1"), "Failed");
  EXPECT_THAT(files("b1"), IsEmpty());
}

TEST_F(BackupRun, IsGivenUpWhenTheServerDiesOverItAgainAndAgain) {
  Json created = runner_.create("b1", {{"includedNamespaces", {"shop"}}}, "InProgress");
  TestCluster::must(
      cluster_.objects(api::kBackup)
          .patch("b1", kube::PatchType::kMerge, {{"metadata", {{"annotations", {{"landfall.dev/tries", "10"}}}}}}, {}));
  ASSERT_EQ(problem(runner_.run("b1")), "");
  const Json backup = cluster_.get(api::kBackup, "b1");
  EXPECT_EQ(backup["status"]["phase"].get<std::string>(), "Failed");
  EXPECT_THAT(backup["status"]["failureReason"].get<std::string>(), HasSubstr("10 times"));
}

TEST_F(BackupRun, WhatIsWrongWithTheSpecDoesNotChangeIt) {
  runner_.create("b1", {{"storageLocation", "elsewhere"}, {"ttl", "soon"}});
  ASSERT_EQ(problem(runner_.run("b1")), "");
  const Json backup = cluster_.get(api::kBackup, "b1");
  EXPECT_EQ(backup["spec"]["storageLocation"].get<std::string>(), "elsewhere");
  EXPECT_TRUE(backup["status"].contains("expiration"));
}

TEST_F(BackupRun, WarnsOfNamesThatNobodyKnows) {
  const Json backup =
      runner_.back_up("b1", {{"includedResources", {"configmaps", "nosuchthing"}}, {"includedNamespaces", {"zz*"}}});
  EXPECT_EQ(backup["status"]["phase"].get<std::string>(), "Completed");
  EXPECT_EQ(backup["status"]["warnings"].get<int>(), 2);
}

TEST_F(BackupRun, ThatFailsKeepsItsLog) {
  class Breaks final : public extension::BackupItemAction {
   public:
    std::string name() const override { return "test/breaks"; }
    extension::ActionScope scope() const override { return {.included_resources = {"["}}; }
    Result<extension::BackupActionResult> execute(const Json&, const Json&, const std::stop_token&) override {
      return extension::BackupActionResult{};
    }
  };
  BackupSettings settings;
  settings.make_actions = [](kube::Client&, const kube::Discovery&) {
    std::vector<std::unique_ptr<extension::BackupItemAction>> actions;
    actions.push_back(std::make_unique<Breaks>());
    return actions;
  };
  TestBackupRunner runner(cluster_, settings);
  runner.create("b1", {{"includedNamespaces", {"shop"}}});
  ASSERT_EQ(problem(runner.run("b1")), "");
  EXPECT_EQ(phase("b1"), "Failed");
  EXPECT_THAT(files("b1"), ElementsAre(HasSubstr("b1-logs.gz")));
}

TEST_F(BackupRun, CountsAnItemThatFailsAndGoesOn) {
  class Refuses final : public extension::BackupItemAction {
   public:
    std::string name() const override { return "test/refuses"; }
    extension::ActionScope scope() const override { return {.included_resources = {"configmaps"}}; }
    Result<extension::BackupActionResult> execute(const Json& item, const Json& /*backup*/,
                                                  const std::stop_token& /*stop*/) override {
      if (item["metadata"]["name"].get<std::string>() == "settings") return fail(Code::kInvalid, "not this one");
      return extension::BackupActionResult{};
    }
  };
  BackupSettings settings;
  settings.make_actions = [](kube::Client&, const kube::Discovery&) {
    std::vector<std::unique_ptr<extension::BackupItemAction>> actions;
    actions.push_back(std::make_unique<Refuses>());
    return actions;
  };
  TestBackupRunner runner(cluster_, settings);
  const Json backup = runner.back_up("b1", {{"includedNamespaces", {"shop"}}});
  EXPECT_EQ(backup["status"]["phase"].get<std::string>(), "PartiallyFailed");
  EXPECT_EQ(backup["status"]["errors"].get<int>(), 1);
  EXPECT_EQ(backup["status"]["progress"]["itemsBackedUp"].get<int>(), 4);
  EXPECT_THAT(runner.items("b1"), Not(Contains("configmaps shop/settings")));
  const bucket::VerifyReport report = runner.verify("b1");
  EXPECT_TRUE(report.is_whole());
  ASSERT_EQ(report.absent.size(), 1U);
  EXPECT_THAT(report.absent[0].reason, HasSubstr("not this one"));
}

}  // namespace
}  // namespace landfall::control
