// The files of volumes, from a pod into a repository and back into another pod: server, node agent and the real restic.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#include "base/random.h"
#include "io/process.h"
#include "json/access.h"
#include "json/json.h"
#include "json/yaml.h"
#include "k8s/object_view.h"
#include "sandbox/server.h"
#include "sandbox_world/node_controller.h"
#include "sandbox_world/test_sandbox_client.h"
#include "sandbox_world/world.h"
#include "stories/file_tree.h"
#include "stories/patience.h"
#include "stories/running_agent.h"
#include "stories/seen_bytes.h"
#include "stories/stage.h"
#include "stories/volume_files.h"
#include "testkit/temp_dir.h"

namespace landfall::stories {
namespace {

namespace fs = std::filesystem;
using json::Json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const k8s::GroupVersionResource kPods{"", "v1", "pods"};

// A StatefulSet with a claim, and a Deployment with a volume that lives as long as its pod.
constexpr const char* kShop = R"(
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: shop}
spec:
  serviceName: db
  replicas: 1
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}, annotations: {backup.velero.io/backup-volumes: data}}
    spec: {containers: [{name: db, image: db, volumeMounts: [{name: data, mountPath: /data}]}]}
  volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}, annotations: {backup.velero.io/backup-volumes: cache}}
    spec:
      containers: [{name: web, image: web, volumeMounts: [{name: cache, mountPath: /cache}]}]
      volumes: [{name: cache, emptyDir: {}}]
)";

// Stands for the agents, which are processes of their own: the server looks whether there is one on a node.
constexpr const char* kAgents = R"(
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: node-agent, namespace: velero}
spec:
  selector: {matchLabels: {name: node-agent}}
  template:
    metadata: {labels: {name: node-agent, role: node-agent}}
    spec: {containers: [{name: node-agent, image: landfall}]}
)";

fs::path made(const fs::path& directory) {
  fs::create_directories(directory);
  return directory;
}

// A cluster with pods, Landfall and an agent in it.
class Port {
 public:
  Port(const fs::path& bucket, const fs::path& data) : data_(made(data)) {
    world_.start();
    stage_ = std::make_unique<Stage>(*client_, Stage::Settings{.bucket = bucket, .options = quick()});
  }

  Stage& stage() { return *stage_; }
  kube::Client& client() { return *client_; }

  void start_agent(const server::UploaderPrograms& programs = {}) {
    if (!is_running("velero", "name=node-agent")) apply(kAgents);
    if (!soon([&] { return is_running("velero", "name=node-agent"); })) throw std::runtime_error("no node agent");
    agent_.emplace(*client_, agent::AgentOptions{.node = std::string(sandbox::kNodeName),
                                                 .pods_directory = made(data_ / "pods"),
                                                 .progress_interval = std::chrono::milliseconds(20),
                                                 .uploaders = programs});
  }
  void stop_agent() { agent_.reset(); }

  void apply(const char* documents) {
    for (const Json& one : must(json::parse_yaml_documents(documents))) {
      const std::string kind = json::string_or(one, {"kind"}, "");
      const std::string plural = kind == "StatefulSet"  ? "statefulsets"
                                 : kind == "Deployment" ? "deployments"
                                                        : "daemonsets";
      must(kube::Resource(*client_, {"apps", "v1", plural}, json::string_or(one, {"metadata", "namespace"}, ""))
               .create(one, {}));
    }
  }
  void open_shop() {
    must(namespaces().create({{"metadata", {{"name", "shop"}}}}, {}));
    apply(kShop);
    if (!soon([&] { return is_running("shop", "app=db") && is_running("shop", "app=web"); })) {
      throw std::runtime_error("the shop does not open");
    }
  }
  void close_shop() {
    must(namespaces().remove("shop", {}));
    if (!soon([&] { return !namespaces().get("shop", {}); })) throw std::runtime_error("the shop does not close");
  }
  bool is_running(const std::string& name_space, const std::string& labels) {
    const auto pods = kube::Resource(*client_, kPods, name_space).list({.label_selector = labels}, {});
    return pods && pods->items.size() == 1 &&
           json::string_or(pods->items.front(), {"status", "phase"}, "") == "Running";
  }
  // Where the kubelet has the only volume of that plugin of the pod with these labels.
  fs::path volume(const std::string& labels, const std::string& plugin) {
    const auto pods = must(kube::Resource(*client_, kPods, "shop").list({.label_selector = labels}, {}));
    const fs::path all =
        data_ / "pods" / k8s::ObjectView(pods.items.at(0)).uid() / "volumes" / ("kubernetes.io~" + plugin);
    return fs::canonical(fs::directory_iterator(all)->path());
  }
  fs::path database() { return volume("app=db", "local-volume"); }
  fs::path cache() { return volume("app=web", "empty-dir"); }
  std::string log() { return stage_->server().log() + (agent_ ? agent_->log() + agent_->error() : ""); }

  Json restore(const std::string& name, const Json& spec) {
    stage_->create(api::kRestore, name, spec);
    const auto is_over = [&] {
      const std::string phase = stage_->phase(api::kRestore, name);
      return phase == "Completed" || phase == "PartiallyFailed" || phase == "Failed" || phase == "FailedValidation";
    };
    if (!soon(is_over)) {
      throw std::runtime_error("the restore is still " + stage_->phase(api::kRestore, name) + "\n" + log());
    }
    return must(stage_->objects(api::kRestore).get(name, {}));
  }

 private:
  kube::Resource namespaces() { return {*client_, {"", "v1", "namespaces"}}; }
  static server::ServerOptions quick() {
    server::ServerOptions options;
    options.store_validation_frequency = std::chrono::milliseconds(500);
    options.backup_sync_period = std::chrono::milliseconds(500);
    return options;
  }

  const fs::path data_;
  std::unique_ptr<sandbox::Sandbox> sandbox_ =
      sandbox::Sandbox::start({.tls = false}, system_clock(), system_random(), Logger()).value();
  sandbox::World world_{*sandbox_, {.data = data_}, system_clock(), Logger()};
  sandbox::SandboxClient client_{*sandbox_};
  std::unique_ptr<Stage> stage_;
  std::optional<RunningAgent> agent_;
};

std::map<std::string, Json> by_volume(const std::vector<Json>& all) {
  std::map<std::string, Json> found;
  for (const Json& one : all) found[json::string_or(one, {"spec", "volume"}, "")] = one;
  return found;
}

class PodVolumes : public testing::Test {
 protected:
  const testkit::TempDir directory_;
  const fs::path bucket_ = made(directory_.path() / "bucket");
  Port port_{bucket_, directory_.path() / "first"};
};

TEST_F(PodVolumes, AreBackedUpDestroyedAndRestoredFileByFile) {
  port_.start_agent();
  port_.open_shop();
  fill_volume(port_.database());
  std::ofstream(port_.cache() / "page.html") << "warm";
  const auto database = file_tree(port_.database());
  const auto cache = file_tree(port_.cache());

  const SeenBytes seen_up(port_.stage(), api::kPodVolumeBackup);
  const Json backup = port_.stage().back_up("b", {{"includedNamespaces", {"shop"}}});
  ASSERT_EQ(json::string_or(backup, {"status", "phase"}, ""), "Completed") << port_.log();
  const auto ups = by_volume(must(port_.stage().objects(api::kPodVolumeBackup).list({}, {})).items);
  ASSERT_EQ(ups.size(), 2U);
  const std::int64_t total = json::int_or(ups.at("data"), {"status", "progress", "totalBytes"}, -1);
  EXPECT_GE(total, 48 << 20);
  EXPECT_EQ(json::int_or(ups.at("cache"), {"status", "progress", "totalBytes"}, -1), 4);
  seen_up.expect_rise("data", total);

  port_.close_shop();
  EXPECT_EQ(port_.stage().document("b", bucket::BackupArtifact::kPodVolumeBackups).size(), 2U);
  const SeenBytes seen_down(port_.stage(), api::kPodVolumeRestore);
  const Json restore = port_.restore("r", {{"backupName", "b"}});
  EXPECT_EQ(json::string_or(restore, {"status", "phase"}, ""), "Completed") << port_.log();
  const auto downs = by_volume(must(port_.stage().objects(api::kPodVolumeRestore).list({}, {})).items);
  ASSERT_EQ(downs.size(), 2U);
  EXPECT_EQ(json::string_or(downs.at("data"), {"status", "phase"}, ""), "Completed");
  seen_down.expect_rise("data", json::int_or(downs.at("data"), {"status", "progress", "totalBytes"}, -1));

  ASSERT_TRUE(soon([&] { return port_.is_running("shop", "app=db") && port_.is_running("shop", "app=web"); }));
  // The pods begin when the init container has taken its sign away; here nothing does, as nothing runs.
  fs::remove_all(port_.database() / ".velero");
  fs::remove_all(port_.cache() / ".velero");
  EXPECT_EQ(file_tree(port_.database()), database);
  EXPECT_EQ(file_tree(port_.cache()), cache);
}

TEST_F(PodVolumes, AreRestoredInAnotherClusterIntoAnotherNamespace) {
  port_.start_agent();
  port_.open_shop();
  std::ofstream(port_.database() / "table") << "row";
  ASSERT_EQ(json::string_or(port_.stage().back_up("b", {{"includedNamespaces", {"shop"}}}), {"status", "phase"}, ""),
            "Completed")
      << port_.log();

  Port other(bucket_, directory_.path() / "second");
  other.start_agent();
  ASSERT_TRUE(soon([&] { return other.stage().exists(api::kBackup, "b"); }));
  ASSERT_TRUE(soon([&] { return must(other.stage().objects(api::kPodVolumeBackup).list({}, {})).items.size() == 2; }));
  const Json restore = other.restore("r", {{"backupName", "b"}, {"namespaceMapping", {{"shop", "shop-copy"}}}});
  EXPECT_EQ(json::string_or(restore, {"status", "phase"}, ""), "Completed") << other.log();
  ASSERT_TRUE(soon([&] { return other.is_running("shop-copy", "app=db"); }));
  bool found = false;
  for (const auto& entry : fs::recursive_directory_iterator(directory_.path() / "second" / "volumes")) {
    found = found || entry.path().filename() == "table";
  }
  EXPECT_TRUE(found) << other.log();
}

TEST_F(PodVolumes, WithoutAnAgentAreNamedInTheBackupWithTheReason) {
  port_.open_shop();
  const Json backup = port_.stage().back_up("b", {{"includedNamespaces", {"shop"}}});
  EXPECT_EQ(json::string_or(backup, {"status", "phase"}, ""), "PartiallyFailed");
  EXPECT_THAT(port_.log(), HasSubstr("no node agent is running on node localhost"));
}

TEST_F(PodVolumes, GoOnWhenTheAgentIsStoppedInBetween) {
  port_.start_agent();
  port_.open_shop();
  write_random(port_.database() / "orders", 48U << 20U, 3);
  const auto database = file_tree(port_.database());
  port_.stage().create(api::kBackup, "b", {{"includedNamespaces", {"shop"}}});
  const auto is_under_way = [&](const api::Kind& kind) {
    const auto all = must(port_.stage().objects(kind).list({}, {})).items;
    return std::ranges::any_of(
        all, [](const Json& one) { return json::int_or(one, {"status", "progress", "bytesDone"}, 0) > 0; });
  };
  ASSERT_TRUE(soon([&] { return is_under_way(api::kPodVolumeBackup); }));
  port_.stop_agent();
  port_.start_agent();
  EXPECT_EQ(json::string_or(port_.stage().await_end("b"), {"status", "phase"}, ""), "Completed") << port_.log();

  port_.close_shop();
  port_.stage().create(api::kRestore, "r", {{"backupName", "b"}});
  ASSERT_TRUE(soon([&] { return is_under_way(api::kPodVolumeRestore); }));
  port_.stop_agent();
  port_.start_agent();
  ASSERT_TRUE(soon([&] { return port_.stage().phase(api::kRestore, "r") == "Completed"; })) << port_.log();
  fs::remove_all(port_.database() / ".velero");
  EXPECT_EQ(file_tree(port_.database()), database);
}

// `restic ARGUMENTS` on the repository of the shop, by nobody's hand but the user's.
std::string bare_restic(const fs::path& bucket, const std::string& directory, std::vector<std::string> arguments) {
  io::ProcessSpec spec;
  spec.argv = {"restic", "--no-cache"};
  spec.argv.insert(spec.argv.end(), arguments.begin(), arguments.end());
  spec.env = {{"PATH", "/usr/local/bin:/usr/bin:/bin"},
              {"RESTIC_REPOSITORY", bucket / "restic" / "shop"},
              {"RESTIC_PASSWORD", "static-passw0rd"}};
  spec.directory = directory;
  const auto ran = must(io::make_system_process_runner(system_clock())->run(spec, {}));
  if (!ran.succeeded()) throw std::runtime_error("restic " + arguments.front() + ": " + io::describe(ran));
  return ran.out;
}

TEST_F(PodVolumes, OfARepositoryThatBareResticWroteWithVelerosTagsAreRestored) {
  port_.start_agent();
  port_.open_shop();
  std::ofstream(port_.database() / "table") << "row";
  ASSERT_EQ(json::string_or(port_.stage().back_up("b", {{"includedNamespaces", {"shop"}}}), {"status", "phase"}, ""),
            "Completed")
      << port_.log();
  // What Velero had in its place years ago: another repository, by restic alone, and a PodVolumeBackup of that time.
  fs::remove_all(bucket_ / "restic");
  const fs::path old = made(directory_.path() / "old");
  fill_volume(old);
  const auto files = file_tree(old);
  bare_restic(bucket_, "", {"init"});
  const std::string said = bare_restic(bucket_, old,
                                       {"backup", ".", "--json", "--host", "velero", "--tag", "backup=b", "--tag",
                                        "ns=shop", "--tag", "pod=db-0", "--tag", "volume=data"});
  const std::size_t at = said.find("\"snapshot_id\":\"");
  ASSERT_NE(at, std::string::npos) << said;
  const std::string short_id = said.substr(at + 15, 8);
  const auto ups = by_volume(must(port_.stage().objects(api::kPodVolumeBackup).list({}, {})).items);
  const Json changed = {{"spec", {{"uploaderType", ""}, {"repoIdentifier", "s3:http://elsewhere/bucket/restic/shop"}}},
                        {"status", {{"snapshotID", short_id}}}};
  must(port_.stage()
           .objects(api::kPodVolumeBackup)
           .patch(std::string(k8s::ObjectView(ups.at("data")).name()), kube::PatchType::kMerge, changed, {}));

  port_.close_shop();
  const Json restore = port_.restore("r", {{"backupName", "b"}});
  EXPECT_EQ(json::string_or(restore, {"status", "phase"}, ""), "Completed") << port_.log();
  fs::remove_all(port_.database() / ".velero");
  EXPECT_EQ(file_tree(port_.database()), files);
}

TEST_F(PodVolumes, AreRestoredByBareRestic) {
  port_.start_agent();
  port_.open_shop();
  fill_volume(port_.database());
  const auto files = file_tree(port_.database());
  ASSERT_EQ(json::string_or(port_.stage().back_up("b", {{"includedNamespaces", {"shop"}}}), {"status", "phase"}, ""),
            "Completed")
      << port_.log();
  const fs::path target = made(directory_.path() / "target");
  bare_restic(bucket_, "", {"restore", "latest", "--tag", "volume=data,backup=b", "--target", target});
  EXPECT_EQ(file_tree(target), files);
}

TEST_F(PodVolumes, OfKopiaWithoutTheProgramFailAndSayWhatToInstall) {
  port_.start_agent({.kopia = "/nowhere/kopia"});
  port_.open_shop();
  std::ofstream(port_.database() / "table") << "row";
  ASSERT_EQ(json::string_or(port_.stage().back_up("b", {{"includedNamespaces", {"shop"}}}), {"status", "phase"}, ""),
            "Completed")
      << port_.log();
  const auto ups = by_volume(must(port_.stage().objects(api::kPodVolumeBackup).list({}, {})).items);
  must(port_.stage()
           .objects(api::kPodVolumeBackup)
           .patch(std::string(k8s::ObjectView(ups.at("data")).name()), kube::PatchType::kMerge,
                  {{"spec", {{"uploaderType", "kopia"}}}, {"status", {{"snapshotID", std::string(32, 'a')}}}}, {}));
  port_.close_shop();
  const Json restore = port_.restore("r", {{"backupName", "b"}});
  EXPECT_EQ(json::string_or(restore, {"status", "phase"}, ""), "PartiallyFailed") << port_.log();
  const auto downs = by_volume(must(port_.stage().objects(api::kPodVolumeRestore).list({}, {})).items);
  ASSERT_TRUE(downs.contains("data"));
  EXPECT_EQ(json::string_or(downs.at("data"), {"status", "phase"}, ""), "Failed");
  EXPECT_THAT(json::string_or(downs.at("data"), {"status", "message"}, ""), HasSubstr("install kopia 0.22 or newer"));
}

TEST_F(PodVolumes, AreForgottenWithTheirBackup) {
  port_.start_agent();
  port_.open_shop();
  std::ofstream(port_.database() / "table") << "row";
  ASSERT_EQ(json::string_or(port_.stage().back_up("b", {{"includedNamespaces", {"shop"}}}), {"status", "phase"}, ""),
            "Completed")
      << port_.log();
  const fs::path snapshots = bucket_ / "restic" / "shop" / "snapshots";
  ASSERT_EQ(std::distance(fs::directory_iterator(snapshots), {}), 1);
  port_.stage().create(api::kDeleteBackupRequest, "gone", {{"backupName", "b"}});
  ASSERT_TRUE(soon([&] { return !port_.stage().exists(api::kBackup, "b"); })) << port_.log();
  EXPECT_TRUE(fs::is_empty(snapshots));
  // The cluster removes what the Backup owned, after it.
  EXPECT_TRUE(soon([&] { return must(port_.stage().objects(api::kPodVolumeBackup).list({}, {})).items.empty(); }));
}

}  // namespace
}  // namespace landfall::stories
