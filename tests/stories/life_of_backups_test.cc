// What becomes of objects that a user creates with kubectl, with a server that works at its usual business, only
// faster.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>

#include "base/guarded.h"
#include "base/random.h"
#include "base/strings.h"
#include "io/file.h"
#include "io/http_client.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "kube/watch.h"
#include "sandbox/server.h"
#include "sandbox_world/test_sandbox_client.h"
#include "sandbox_world/world.h"
#include "stories/patience.h"
#include "stories/stage.h"
#include "testkit/gate.h"
#include "testkit/temp_dir.h"

namespace landfall::stories {
namespace {

using json::Json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;

// A cluster of its own with a small namespace, and Landfall in it.
class Town {
 public:
  explicit Town(const std::filesystem::path& bucket) {
    world_.start();
    stage_ = std::make_unique<Stage>(*client_, Stage::Settings{.bucket = bucket, .options = quick()});
  }

  Stage& stage() { return *stage_; }
  sandbox::Sandbox& sandbox() { return *sandbox_; }

  void settle() {
    must(kube::Resource(*client_, {"", "v1", "namespaces"}).create({{"metadata", {{"name", "shop"}}}}, {}));
    add_config_map("prices");
  }
  void add_config_map(const std::string& name) {
    must(kube::Resource(*client_, {"", "v1", "configmaps"}, "shop")
             .create({{"metadata", {{"name", name}}}, {"data", {{"book", "12.50"}}}}, {}));
  }

 private:
  // What takes minutes and hours otherwise.
  static server::ServerOptions quick() {
    server::ServerOptions options;
    options.store_validation_frequency = std::chrono::milliseconds(500);
    options.backup_sync_period = std::chrono::milliseconds(500);
    options.garbage_collection_frequency = std::chrono::milliseconds(500);
    options.item_operation_sync_frequency = std::chrono::milliseconds(200);
    options.client_page_size = 1;  // makes a backup of a few hundred objects a long one
    return options;
  }

  std::unique_ptr<sandbox::Sandbox> sandbox_ =
      sandbox::Sandbox::start({.tls = false}, system_clock(), system_random(), Logger()).value();
  sandbox::World world_{*sandbox_, {.workloads = false}, system_clock(), Logger()};
  sandbox::SandboxClient client_{*sandbox_};
  std::unique_ptr<Stage> stage_;  // last: its server ends first
};

class LifeOfBackups : public testing::Test {
 protected:
  LifeOfBackups() { town_.settle(); }

  static std::filesystem::path made(const std::filesystem::path& directory) {
    std::filesystem::create_directory(directory);
    return directory;
  }
  static Json of_shop() { return {{"includedNamespaces", {"shop"}}}; }
  Stage& stage() { return town_.stage(); }
  std::string log() { return stage().server().error() + "\n" + stage().server().log(); }

  std::vector<std::string> names(const api::Kind& kind) {
    std::vector<std::string> found;
    for (const Json& one : must(stage().objects(kind).list({}, {})).items) {
      found.emplace_back(k8s::ObjectView(one).name());
    }
    return found;
  }
  // The file in the bucket.
  std::string stored(const std::string& file) {
    return io::read_file(bucket_ / file, 1 << 20).value_or("there is no " + file);
  }

  const testkit::TempDir directory_;
  const std::filesystem::path bucket_ = made(directory_.path() / "bucket");
  Town town_{bucket_};
};

// Keeps every state of a Backup that a client gets to see, until it is in one of the ends.
class Watched {
 public:
  Watched(const Stage& stage, const std::string& name)
      : backups_(stage.objects(api::kBackup)), thread_([this, name](const std::stop_token& stop) {
          const std::string from = must(backups_.list({}, stop)).resource_version;
          begun_.open();
          (void)kube::watch(
              backups_, {.resource_version = from},
              [&](kube::WatchEventType type, Json& object) -> Result<bool> {
                if (type == kube::WatchEventType::kBookmark || k8s::ObjectView(object).name() != name) return true;
                states_.update([&](auto& states) { states.push_back(object); });
                return true;
              },
              stop);
        }) {
    if (!begun_.await()) throw std::runtime_error("the watch did not begin");
  }

  // All states up to the first in this phase.
  std::vector<Json> until(const std::string& phase) {
    states_.wait_until(system_clock(), {}, system_clock().after(kPatience),
                       [&](const auto& states) { return !states.empty() && phase_of(states.back()) == phase; });
    return states_.copy();
  }
  static std::string phase_of(const Json& backup) { return json::string_or(backup, {"status", "phase"}, ""); }
  static std::vector<std::string> phases(const std::vector<Json>& states) {
    std::vector<std::string> found;
    for (const Json& state : states) {
      if (found.empty() || found.back() != phase_of(state)) found.push_back(phase_of(state));
    }
    return found;
  }

 private:
  const kube::Resource backups_;
  testkit::Gate begun_;
  Monitor<std::vector<Json>> states_;
  std::jthread thread_;  // last: ends before what it uses
};

TEST_F(LifeOfBackups, ABackupGoesThroughVelerosPhasesWithItsProgress) {
  Watched watched(stage(), "b");
  stage().create(api::kBackup, "b", of_shop());

  const std::vector<Json> states = watched.until("Completed");

  EXPECT_THAT(Watched::phases(states),
              ElementsAre("", "Queued", "ReadyToStart", "InProgress", "Finalizing", "Completed"))
      << log();
  bool is_known_while_it_runs = false;
  std::int64_t done_before = 0;
  for (const Json& state : states) {
    const auto total = json::int_or(state, {"status", "progress", "totalItems"}, 0);
    const auto done = json::int_or(state, {"status", "progress", "itemsBackedUp"}, 0);
    EXPECT_LE(done_before, done);
    EXPECT_LE(done, total);
    EXPECT_EQ(json::has(state, {"status", "progress"}), json::has(state, {"status", "progress", "step"}));
    done_before = done;
    is_known_while_it_runs = is_known_while_it_runs || (Watched::phase_of(state) != "Completed" && total > 0);
  }
  EXPECT_TRUE(is_known_while_it_runs);
  const Json& last = states.back();
  EXPECT_EQ(json::int_or(last, {"status", "progress", "totalItems"}, 0),
            json::int_or(last, {"status", "progress", "itemsBackedUp"}, -1));
  EXPECT_TRUE(json::has(last, {"status", "startTimestamp"}));
  EXPECT_TRUE(json::has(last, {"status", "completionTimestamp"}));
  EXPECT_TRUE(stage().verify("b").is_whole());
}

TEST_F(LifeOfBackups, AScheduleMakesABackupWithItsNameAndLabels) {
  must(stage()
           .objects(api::kSchedule)
           .create({{"apiVersion", "velero.io/v1"},
                    {"kind", "Schedule"},
                    {"metadata", {{"name", "often"}, {"labels", {{"team", "books"}}}}},
                    {"spec", {{"schedule", "@every 2s"}, {"template", of_shop()}}}},
                   {}));

  ASSERT_TRUE(soon([&] { return !names(api::kBackup).empty(); })) << log();
  // One is enough.
  must(stage().objects(api::kSchedule).patch("often", kube::PatchType::kMerge, {{"spec", {{"paused", true}}}}, {}));
  const std::string name = names(api::kBackup).front();
  const Json backup = stage().await_end(name);

  EXPECT_EQ(name.size(), std::string("often-20261115030000").size()) << name;
  EXPECT_THAT(name, MatchesRegex("often-[0-9]+"));
  EXPECT_EQ(json::string_or(backup, {"status", "phase"}, ""), "Completed") << backup.dump(1);
  EXPECT_EQ(json::string_or(backup, {"metadata", "labels", "velero.io/schedule-name"}, ""), "often");
  EXPECT_EQ(json::string_or(backup, {"metadata", "labels", "team"}, ""), "books");
  EXPECT_EQ(backup["spec"]["includedNamespaces"], Json({"shop"}));
  const Json schedule = must(stage().objects(api::kSchedule).get("often", {}));
  EXPECT_EQ(json::string_or(schedule, {"status", "phase"}, ""), "Enabled");
  // Noted after the Backup was created, which may have ended by now.
  EXPECT_TRUE(soon(
      [&] { return json::has(must(stage().objects(api::kSchedule).get("often", {})), {"status", "lastBackup"}); }));
}

TEST_F(LifeOfBackups, ADeletionLeavesNothingBehind) {
  stage().back_up("b", of_shop());
  ASSERT_THAT(stage().files(), Contains("backups/b/b.tar.gz"));

  stage().create(api::kDeleteBackupRequest, "b-please", {{"backupName", "b"}});

  EXPECT_TRUE(soon([&] { return !stage().exists(api::kBackup, "b") && names(api::kDeleteBackupRequest).empty(); }))
      << log();
  EXPECT_THAT(stage().files(), IsEmpty());
}

TEST_F(LifeOfBackups, WhatHasExpiredIsGone) {
  Json spec = of_shop();
  spec["ttl"] = "1s";
  stage().create(api::kBackup, "short", spec);  // throws unless it is there; a busy machine may look too late

  EXPECT_TRUE(soon([&] { return !stage().exists(api::kBackup, "short") && names(api::kDeleteBackupRequest).empty(); }))
      << stage().phase(api::kBackup, "short") << "\n"
      << log();
  EXPECT_THAT(stage().files(), IsEmpty());
}

TEST_F(LifeOfBackups, AnotherClusterSeesTheBackupsOfTheBucketComeAndGo) {
  const Json here = stage().back_up("b", of_shop());
  Town second(bucket_);

  ASSERT_TRUE(soon([&] { return second.stage().exists(api::kBackup, "b"); })) << second.stage().server().log();

  const Json there = must(second.stage().objects(api::kBackup).get("b", {}));
  EXPECT_EQ(there["spec"], here["spec"]);
  EXPECT_EQ(there["status"]["phase"], "Completed");
  EXPECT_EQ(there["status"]["completionTimestamp"], here["status"]["completionTimestamp"]);
  EXPECT_NE(there["metadata"]["uid"], here["metadata"]["uid"]);
  for (const api::Kind& kind : api::kAllKinds) {
    const auto found = must(second.stage().objects(kind).list({}, {})).items.size();
    const bool is_expected = kind == api::kBackup || kind == api::kBackupStorageLocation;
    EXPECT_EQ(found, is_expected ? 1U : 0U) << kind.plural;
  }
  EXPECT_FALSE(kube::Resource(second.stage().client(), {"", "v1", "namespaces"}).get("shop", {}));

  stage().create(api::kDeleteBackupRequest, "b-please", {{"backupName", "b"}});

  EXPECT_TRUE(soon([&] { return !second.stage().exists(api::kBackup, "b"); })) << second.stage().server().log();
  EXPECT_TRUE(soon([&] { return !stage().exists(api::kBackup, "b"); })) << log();
  EXPECT_THAT(stage().files(), IsEmpty());
}

TEST_F(LifeOfBackups, ARunningBackupThatIsCanceledLeavesNothing) {
  // Page by page, with this time for each answer of the API, they take more than thirty seconds.
  for (int i = 0; i < 500; ++i) town_.add_config_map("page-" + std::to_string(i));
  town_.sandbox().faults().set({.latency = std::chrono::milliseconds(60)});
  stage().create(api::kBackup, "b", of_shop());
  ASSERT_TRUE(soon([&] { return stage().phase(api::kBackup, "b") == "InProgress"; })) << log();

  const SteadyTime before = system_clock().now();
  must(stage().objects(api::kBackup).patch("b", kube::PatchType::kMerge, {{"spec", {{"cancel", true}}}}, {}));
  const Json backup = stage().await_end("b");
  const Duration took = system_clock().now() - before;

  RecordProperty("canceled_after_ms",
                 std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(took).count()));
  EXPECT_LT(took, std::chrono::seconds(30));  // 2 s are promised; the machine may be busy
  EXPECT_EQ(json::string_or(backup, {"status", "phase"}, ""), "Failed") << backup.dump(1);
  EXPECT_EQ(json::string_or(backup, {"status", "failureReason"}, ""), "canceled");
  EXPECT_EQ(json::int_or(backup, {"status", "progress", "itemsBackedUp"}, 0), 0);
  EXPECT_THAT(stage().files(), IsEmpty());
}

TEST_F(LifeOfBackups, ArtifactsComeFromTheServerWhereTheStoreHasNoAddresses) {
  stage().back_up("b", of_shop());
  const auto http = must(io::HttpClient::create({}));
  for (const auto& [kind, file] : {std::pair("BackupLog", "b-logs.gz"), std::pair("BackupContents", "b.tar.gz"),
                                   std::pair("BackupResourceList", "b-resource-list.json.gz")}) {
    const std::string name = "get-" + to_lower(kind);
    stage().create(api::kDownloadRequest, name, {{"target", {{"kind", kind}, {"name", "b"}}}});
    ASSERT_TRUE(soon([&] { return stage().phase(api::kDownloadRequest, name) == "Processed"; })) << log();
    const Json request = must(stage().objects(api::kDownloadRequest).get(name, {}));

    const auto answer = http->send({.url = json::string_or(request, {"status", "downloadURL"}, "")}, {});

    ASSERT_TRUE(answer) << answer.error().message();
    EXPECT_EQ(answer->status, 200) << kind;
    EXPECT_TRUE(answer->body == stored(std::string("backups/b/") + file)) << kind << ": " << answer->body.size();
    EXPECT_TRUE(json::has(request, {"status", "expiration"}));
  }
}

TEST_F(LifeOfBackups, TheServerSaysWhatItIs) {
  stage().create(api::kServerStatusRequest, "who", Json::object());

  ASSERT_TRUE(soon([&] { return stage().phase(api::kServerStatusRequest, "who") == "Processed"; })) << log();

  const Json answer = must(stage().objects(api::kServerStatusRequest).get("who", {}));
  EXPECT_THAT(json::string_or(answer, {"status", "serverVersion"}, ""), HasSubstr("v1.18.3+landfall"));
  EXPECT_TRUE(json::has(answer, {"status", "processedTimestamp"}));
}

}  // namespace
}  // namespace landfall::stories
