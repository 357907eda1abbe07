// Native snapshots by a real plugin: server, landfall-plugin-local as a process of its own, and bytes on a disk.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#include "json/access.h"
#include "json/json.h"
#include "json/yaml.h"
#include "k8s/object_view.h"
#include "sandbox/server.h"
#include "sandbox_world/test_sandbox_client.h"
#include "sandbox_world/world.h"
#include "stories/file_tree.h"
#include "stories/patience.h"
#include "stories/seen_bytes.h"
#include "stories/stage.h"
#include "stories/volume_files.h"
#include "testkit/temp_dir.h"

namespace landfall::stories {
namespace {

namespace fs = std::filesystem;
using json::Json;
using testing::HasSubstr;

constexpr const char* kShop = R"(
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: shop}
spec:
  serviceName: db
  replicas: 1
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: db, image: db, volumeMounts: [{name: data, mountPath: /data}]}]}
  volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]
)";

fs::path made(const fs::path& directory) {
  fs::create_directories(directory);
  return directory;
}

// How the plugin tells how far it is.
enum class Telling { kPolled, kResources, kAuto };

std::string name_of(Telling telling) {
  if (telling == Telling::kPolled) return "polled";
  return telling == Telling::kResources ? "resources" : "auto";
}

// A worker writes its resource once a second: at this speed some 50 MB take several of them, on a busy machine too.
constexpr int kBytesPerSecond = 10'000'000;

// A resource of the plugin's own that is there before: what it tells of a snapshot by another one is then waited for,
// also when its worker is slower than the server.
constexpr const char* kEarlier = "earlier";

// A cluster with a database, and a server that has landfall-plugin-local.
class Harbor {
 public:
  Harbor(const fs::path& shared, const fs::path& own, Telling telling) : own_(made(own)) {
    world_.start();
    fs::create_symlink(fs::canonical("/proc/self/exe").parent_path() / "landfall-plugin-local",
                       made(own_ / "plugins") / "landfall-plugin-local");
    std::ofstream(own_ / "kubeconfig") << sandbox_->kubeconfig();
    server::ServerOptions options;
    options.plugin_dir = own_ / "plugins";
    options.store_validation_frequency = std::chrono::milliseconds(500);
    options.backup_sync_period = std::chrono::milliseconds(500);
    options.item_operation_sync_frequency = std::chrono::milliseconds(100);
    stage_ = std::make_unique<Stage>(*client_,
                                     Stage::Settings{.bucket = made(shared / "bucket"),
                                                     .options = options,
                                                     .environment = Environment({{"KUBECONFIG", own_ / "kubeconfig"},
                                                                                 {"VELERO_NAMESPACE", "velero"},
                                                                                 {"PATH", "/usr/bin:/bin"}})});
    stage_->create(api::kVolumeSnapshotLocation, "local",
                   {{"provider", "landfall.dev/local"},
                    {"config",
                     {{"directory", made(shared / "snapshots")},
                      {"volumes", made(own_ / "made")},
                      {"bytesPerSecond", std::to_string(kBytesPerSecond)},
                      {"progress", name_of(telling)}}}});
    if (telling == Telling::kResources) {
      stage_->create(api::kVolumePluginRestore, kEarlier,
                     {{"backup", kEarlier}, {"plugin", "landfall.dev/local"}, {"snapshotID", kEarlier}});
    }
  }

  Stage& stage() { return *stage_; }
  std::string log() { return stage_->server().log() + stage_->server().error(); }

  void open_shop() {
    must(namespaces().create({{"metadata", {{"name", "shop"}}}}, {}));
    for (const Json& one : must(json::parse_yaml_documents(kShop))) {
      must(kube::Resource(*client_, {"apps", "v1", "statefulsets"}, "shop").create(one, {}));
    }
    // Then its claim is bound, so that a backup of the namespace finds the volume.
    const auto is_running = [&] {
      const auto pod = kube::Resource(*client_, {"", "v1", "pods"}, "shop").get("db-0", {});
      return pod && json::string_or(*pod, {"status", "phase"}, "") == "Running";
    };
    if (!soon(is_running)) throw std::runtime_error("the shop does not open");
  }
  void close_shop() {
    must(namespaces().remove("shop", {}));
    if (!soon([&] { return !namespaces().get("shop", {}) && volumes().empty(); })) {
      throw std::runtime_error("the shop does not close");
    }
  }
  std::vector<Json> volumes() {
    return must(kube::Resource(*client_, {"", "v1", "persistentvolumes"}).list({}, {})).items;
  }
  // Where the volume of the shop is; empty while there is none.
  fs::path database() {
    for (const Json& volume : volumes()) {
      if (json::string_or(volume, {"spec", "claimRef", "namespace"}, "") == "shop") {
        return json::string_or(volume, {"spec", "local", "path"}, "");
      }
    }
    return {};
  }
  std::vector<Json> all(const api::Kind& kind) {
    auto found = must(stage_->objects(kind).list({}, {})).items;
    std::erase_if(found, [](const Json& one) { return k8s::ObjectView(one).name() == kEarlier; });
    return found;
  }
  bool is_under_way(const api::Kind& kind) {
    return std::ranges::any_of(
        all(kind), [](const Json& one) { return json::int_or(one, {"status", "progress", "bytesDone"}, 0) > 0; });
  }
  Json await_restore(const std::string& name) {
    const auto is_over = [&] {
      const std::string phase = stage_->phase(api::kRestore, name);
      return phase == "Completed" || phase == "PartiallyFailed" || phase == "Failed" || phase == "FailedValidation";
    };
    if (!soon(is_over)) throw std::runtime_error("the restore is " + stage_->phase(api::kRestore, name) + log());
    return must(stage_->objects(api::kRestore).get(name, {}));
  }

 private:
  kube::Resource namespaces() { return {*client_, {"", "v1", "namespaces"}}; }

  const fs::path own_;
  std::unique_ptr<sandbox::Sandbox> sandbox_ =
      sandbox::Sandbox::start({}, system_clock(), system_random(), Logger()).value();
  sandbox::World world_{*sandbox_, {.data = made(own_ / "world")}, system_clock(), Logger()};
  sandbox::SandboxClient client_{*sandbox_};
  std::unique_ptr<Stage> stage_;
};

std::string phase_of(const Json& object) { return json::string_or(object, {"status", "phase"}, ""); }
const Json kWholeShop = {{"includedNamespaces", {"shop"}}};

class PluginSnapshots : public testing::TestWithParam<Telling> {
 protected:
  // With `auto` the server may have begun one of its own before the plugin's came, which counts from the beginning.
  static void expect_rise_of_restore(const SeenBytes& seen, const std::string& snapshot, std::int64_t total) {
    if (GetParam() != Telling::kAuto) seen.expect_rise(snapshot, total);
  }

  const testkit::TempDir directory_;
  Harbor harbor_{directory_.path(), directory_.path() / "first", GetParam()};
};

INSTANTIATE_TEST_SUITE_P(AllWays, PluginSnapshots,
                         testing::Values(Telling::kPolled, Telling::kResources, Telling::kAuto),
                         [](const auto& one) { return name_of(one.param); });

TEST_P(PluginSnapshots, BringBackEveryFileAndTellHowFarTheyAre) {
  harbor_.open_shop();
  fill_volume(harbor_.database());
  const auto files = file_tree(harbor_.database());

  const SeenBytes seen_up(harbor_.stage(), api::kVolumePluginBackup);
  ASSERT_EQ(phase_of(harbor_.stage().back_up("b", kWholeShop)), "Completed") << harbor_.log();
  const auto ups = harbor_.all(api::kVolumePluginBackup);
  ASSERT_EQ(ups.size(), 1U) << harbor_.log();
  const Json& up = ups.front();
  const std::string snapshot = json::string_or(up, {"status", "snapshotID"}, "");
  EXPECT_EQ(std::string(k8s::ObjectView(up).name()), snapshot);
  EXPECT_EQ(phase_of(up), "Completed");
  EXPECT_EQ(json::string_or(up, {"spec", "backup"}, ""), "b");
  EXPECT_EQ(json::string_or(up, {"spec", "plugin"}, ""), "landfall.dev/local");
  EXPECT_NE(json::string_or(up, {"status", "completionTimestamp"}, ""), "");
  EXPECT_EQ(k8s::ObjectView(up).labels().get("velero.io/backup-name"), "b");
  const std::int64_t total = json::int_or(up, {"status", "progress", "totalBytes"}, -1);
  EXPECT_GE(total, 48 << 20);
  seen_up.expect_rise(json::string_or(up, {"spec", "volume"}, ""), total);
  EXPECT_EQ(harbor_.stage().document("b", bucket::BackupArtifact::kVolumeSnapshots).size(), 1U);
  const Json stored = harbor_.stage().document("b", bucket::BackupArtifact::kVolumePluginBackups);
  ASSERT_EQ(stored.size(), 1U);
  EXPECT_EQ(phase_of(stored[0]), "Completed") << "as it ended";

  harbor_.close_shop();
  const SeenBytes seen_down(harbor_.stage(), api::kVolumePluginRestore);
  harbor_.stage().create(api::kRestore, "r", {{"backupName", "b"}});
  EXPECT_EQ(phase_of(harbor_.await_restore("r")), "Completed") << harbor_.log();
  const auto downs = harbor_.all(api::kVolumePluginRestore);
  ASSERT_EQ(downs.size(), 1U) << harbor_.log();
  EXPECT_EQ(phase_of(downs.front()), "Completed");
  EXPECT_EQ(json::string_or(downs.front(), {"spec", "snapshotID"}, ""), snapshot);
  EXPECT_EQ(k8s::ObjectView(downs.front()).labels().get("velero.io/restore-name"), "r");
  expect_rise_of_restore(seen_down, snapshot, json::int_or(downs.front(), {"status", "progress", "totalBytes"}, -1));
  EXPECT_THAT(harbor_.database().string(), HasSubstr((directory_.path() / "first" / "made").string()));
  EXPECT_EQ(file_tree(harbor_.database()), files);
}

TEST_P(PluginSnapshots, AreRestoredInAnotherClusterThatKnowsHowTheyWereMade) {
  harbor_.open_shop();
  fill_volume(harbor_.database());
  const auto files = file_tree(harbor_.database());
  ASSERT_EQ(phase_of(harbor_.stage().back_up("b", kWholeShop)), "Completed") << harbor_.log();

  Harbor other(directory_.path(), directory_.path() / "second", GetParam());
  ASSERT_TRUE(soon([&] { return other.all(api::kVolumePluginBackup).size() == 1; })) << other.log();
  EXPECT_EQ(other.all(api::kVolumePluginBackup)[0]["status"], harbor_.all(api::kVolumePluginBackup)[0]["status"]);
  ASSERT_TRUE(soon([&] { return other.stage().exists(api::kBackup, "b"); }));
  const SeenBytes seen(other.stage(), api::kVolumePluginRestore);
  other.stage().create(api::kRestore, "r", {{"backupName", "b"}});
  EXPECT_EQ(phase_of(other.await_restore("r")), "Completed") << other.log();
  EXPECT_EQ(file_tree(other.database()), files);
  const auto downs = other.all(api::kVolumePluginRestore);
  ASSERT_EQ(downs.size(), 1U);
  expect_rise_of_restore(seen, json::string_or(downs[0], {"spec", "snapshotID"}, ""),
                         json::int_or(downs[0], {"status", "progress", "totalBytes"}, -1));
}

// Everything that was started from the plugin's directory.
int kill_plugins(const fs::path& plugins) {
  int killed = 0;
  for (const auto& process : fs::directory_iterator("/proc")) {
    const std::string name = process.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(process.path() / "cmdline");
    std::string command;
    std::getline(file, command, '\0');
    if (command.starts_with(plugins.string()) && ::kill(std::stoi(name), SIGKILL) == 0) ++killed;
  }
  return killed;
}

TEST_P(PluginSnapshots, GoOnWhenThePluginIsKilledDuringAnUpload) {
  harbor_.open_shop();
  write_random(harbor_.database() / "orders", 48U << 20U, 3);
  write_random(harbor_.database() / "more", 48U << 20U, 4);
  const auto files = file_tree(harbor_.database());
  const SeenBytes seen_up(harbor_.stage(), api::kVolumePluginBackup);
  harbor_.stage().create(api::kBackup, "b", kWholeShop);
  ASSERT_TRUE(soon([&] { return harbor_.is_under_way(api::kVolumePluginBackup); })) << harbor_.log();
  EXPECT_GT(kill_plugins(directory_.path() / "first" / "plugins"), 0);
  EXPECT_EQ(phase_of(harbor_.stage().await_end("b")), "Completed") << harbor_.log();
  const auto ups = harbor_.all(api::kVolumePluginBackup);
  ASSERT_EQ(ups.size(), 1U) << harbor_.log();
  seen_up.expect_rise(json::string_or(ups.front(), {"spec", "volume"}, ""), 96 << 20);

  harbor_.close_shop();
  const SeenBytes seen_down(harbor_.stage(), api::kVolumePluginRestore);
  harbor_.stage().create(api::kRestore, "r", {{"backupName", "b"}});
  ASSERT_TRUE(soon([&] { return harbor_.is_under_way(api::kVolumePluginRestore); })) << harbor_.log();
  EXPECT_GT(kill_plugins(directory_.path() / "first" / "plugins"), 0);
  EXPECT_EQ(phase_of(harbor_.await_restore("r")), "Completed") << harbor_.log();
  expect_rise_of_restore(seen_down, json::string_or(ups.front(), {"status", "snapshotID"}, ""), 96 << 20);
  EXPECT_EQ(file_tree(harbor_.database()), files);
}

TEST_P(PluginSnapshots, GoOnWhenTheServerIsStoppedInBetween) {
  harbor_.open_shop();
  write_random(harbor_.database() / "orders", 80U << 20U, 3);
  const auto files = file_tree(harbor_.database());
  harbor_.stage().create(api::kBackup, "b", kWholeShop);
  ASSERT_TRUE(soon([&] {
    return harbor_.stage().phase(api::kBackup, "b") == "WaitingForPluginOperations" &&
           harbor_.is_under_way(api::kVolumePluginBackup);
  })) << harbor_.log();
  harbor_.stage().restart_server();
  kill_plugins(directory_.path() / "first" / "plugins");
  EXPECT_EQ(phase_of(harbor_.stage().await_end("b")), "Completed") << harbor_.log();
  EXPECT_EQ(harbor_.all(api::kVolumePluginBackup).size(), 1U);

  harbor_.close_shop();
  harbor_.stage().create(api::kRestore, "r", {{"backupName", "b"}});
  EXPECT_EQ(phase_of(harbor_.await_restore("r")), "Completed") << harbor_.log();
  EXPECT_EQ(file_tree(harbor_.database()), files);
}

TEST_P(PluginSnapshots, AreDeletedWithTheirBackup) {
  harbor_.open_shop();
  std::ofstream(harbor_.database() / "table") << "row";
  ASSERT_EQ(phase_of(harbor_.stage().back_up("b", kWholeShop)), "Completed") << harbor_.log();
  const fs::path snapshots = directory_.path() / "snapshots";
  const auto has_bytes = [&] {
    return std::ranges::any_of(fs::recursive_directory_iterator(snapshots),
                               [](const auto& entry) { return entry.path().filename() == "table"; });
  };
  ASSERT_TRUE(has_bytes());
  harbor_.stage().create(api::kDeleteBackupRequest, "gone", {{"backupName", "b"}});
  ASSERT_TRUE(soon([&] { return !harbor_.stage().exists(api::kBackup, "b"); })) << harbor_.log();
  EXPECT_FALSE(has_bytes());
  EXPECT_TRUE(soon([&] { return harbor_.all(api::kVolumePluginBackup).empty(); }));
}

}  // namespace
}  // namespace landfall::stories
