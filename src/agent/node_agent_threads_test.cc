// The whole agent, with the restic that is installed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <optional>
#include <thread>

#include "agent/node_agent.h"
#include "agent/test_node.h"
#include "io/http_client.h"
#include "location/repository_access.h"

namespace landfall::agent {
namespace {

namespace fs = std::filesystem;
using json::Json;
using testing::AllOf;
using testing::HasSubstr;

std::string read(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Json waiting_pod() {
  return {
      {"phase", "Pending"},
      {"initContainerStatuses", Json::array({{{"name", "restore-wait"}, {"state", {{"running", Json::object()}}}}})}};
}

// An agent in a thread of its own.
class Agent {
 public:
  explicit Agent(TestNode& node, const std::string& restic = "restic")
      : environment_({{"TMPDIR", node.directory().path()}}),
        thread_([this, &node, restic](const std::stop_token& stop) {
          const AgentOptions options{.node = "node-1",
                                     .pods_directory = node.pods_directory(),
                                     .metrics_address = "127.0.0.1:0",
                                     .progress_interval = std::chrono::milliseconds(20),
                                     .uploaders = {.restic = restic}};
          const World world{
              .client = node.client(),
              .clock = system_clock(),
              .random = system_random(),
              .environment = environment_,
              .processes = *processes_,
              .log = Logger(system_clock(), node.log_sink()),
              .end_process = [] { ADD_FAILURE() << "the process would have been ended"; },
              .on_listening = [this](const std::string& url) { url_.update([&](std::string& it) { it = url; }); }};
          Status ended = run_agent(options, world, stop);
          ended_.update([&](auto& it) { it = std::move(ended); });
        }) {}

  std::string get(const std::string& path) {
    url_.wait_until(system_clock(), {}, system_clock().after(kPatience),
                    [](const std::string& url) { return !url.empty(); });
    const auto answer = http_->send({.url = url_.copy() + path}, {});
    return answer && answer->status == 200 ? answer->body : "";
  }
  std::optional<Status> stop() {
    thread_.request_stop();
    ended_.wait_until(system_clock(), {}, system_clock().after(kPatience),
                      [](const auto& it) { return it.has_value(); });
    return ended_.copy();
  }

 private:
  const Environment environment_;
  const std::unique_ptr<io::ProcessRunner> processes_ = io::make_system_process_runner(system_clock());
  const std::unique_ptr<io::HttpClient> http_ = io::HttpClient::create({}).value();
  Monitor<std::string> url_;
  Monitor<std::optional<Status>> ended_;
  std::jthread thread_;  // last: ends before what it uses
};

class NodeAgent : public testing::Test {
 protected:
  NodeAgent() { fs::create_directories(node_.pods_directory()); }

  // A location on a directory, the password, and the repository of `shop`.
  void create_repository() {
    create_location("default");
    ASSERT_TRUE(location::ensure_repository_password(node_.client(), "velero", {}));
    server::Uploaders uploaders({}, std::chrono::seconds(1), environment_, *processes_);
    const Status made = uploaders.writer().open({.path = node_.directory().path() / "bucket" / "restic" / "shop",
                                                 .password = std::string(location::kDefaultRepositoryPassword)},
                                                extension::IfMissing::kCreate, {});
    ASSERT_TRUE(made) << made.error().message();
  }
  void create_location(const std::string& name) {
    fs::create_directories(node_.directory().path() / "bucket");
    node_.create(api::kBackupStorageLocation, {{"metadata", {{"name", name}}},
                                               {"spec",
                                                {{"provider", "filesystem"},
                                                 {"objectStorage", {{"bucket", "bucket"}}},
                                                 {"config", {{"path", node_.directory().path().string()}}}}},
                                               {"status", {{"phase", "Available"}}}});
  }
  // A program that says its version, and then stays busy with whatever else it is asked for.
  std::string busy_restic() {
    const fs::path program = node_.directory().write(
        "busy", "#!/bin/sh\ncase \"$*\" in *version*) echo 'restic 0.14.0 compiled with go';; *) : > '" +
                    busy_sign().string() + "'; exec sleep 600;; esac\n");
    fs::permissions(program, fs::perms::owner_all);
    return program;
  }
  // Is there once it is busy.
  fs::path busy_sign() const { return node_.directory().path() / "is-busy"; }
  bool becomes(const api::Kind& kind, const std::string& name, const std::string& phase) {
    return soon([&] { return node_.phase(kind, name) == phase; });
  }
  std::string describe(const api::Kind& kind, const std::string& name) {
    return node_.get(kind, name).dump() + "\n" + node_.log();
  }

  const Environment environment_;
  const std::unique_ptr<io::ProcessRunner> processes_ = io::make_system_process_runner(system_clock());
  TestNode node_;
};

TEST_F(NodeAgent, BacksUpAVolumeAndFillsAnother) {
  create_repository();
  const Json source = node_.create_pod("db-0");
  std::ofstream(node_.volume(source) / "file") << std::string(100'000, 'x');
  node_.create_backup("b-1", source);
  Agent agent(node_);
  EXPECT_EQ(agent.get("/healthz"), "ok\n");
  ASSERT_TRUE(becomes(api::kPodVolumeBackup, "b-1", "Completed")) << describe(api::kPodVolumeBackup, "b-1");
  EXPECT_TRUE(soon([&] { return agent.get("/readyz") == "working\n"; }));
  const Json backup = node_.get(api::kPodVolumeBackup, "b-1")["status"];
  EXPECT_EQ(backup["snapshotID"].get<std::string>().size(), 64U);
  EXPECT_EQ(backup["progress"]["bytesDone"], 100'000);
  EXPECT_EQ(backup["progress"]["totalBytes"], 100'000);

  const Json target = node_.create_pod("db-1", {{"phase", "Pending"}});
  node_.create_restore("r-1", target, {{"spec", {{"snapshotID", backup["snapshotID"]}, {"sourceNamespace", "shop"}}}});
  node_.set_pod_status("db-1", waiting_pod());  // it is the pod's change that begins it
  ASSERT_TRUE(becomes(api::kPodVolumeRestore, "r-1", "Completed")) << describe(api::kPodVolumeRestore, "r-1");
  EXPECT_EQ(read(node_.volume(target) / "file"), std::string(100'000, 'x'));
  EXPECT_TRUE(fs::exists(node_.volume(target) / ".velero" / "restore-uid-1"));
  EXPECT_EQ(node_.get(api::kPodVolumeRestore, "r-1")["status"]["progress"]["bytesDone"], 100'000);

  const auto ended = agent.stop();
  ASSERT_TRUE(ended) << "not in time";
  EXPECT_TRUE(*ended) << ended->error().message();
}

TEST_F(NodeAgent, RemovesTheKeysThatAKilledOneHasLeft) {
  const fs::path left = node_.directory().path() / "landfall-abc123";
  fs::create_directory(left);
  for (const char* file : {"in-use", "repository.config"}) std::ofstream(left / file) << "k3y";
  Agent agent(node_);
  EXPECT_TRUE(soon([&] { return !fs::exists(left); }));
}

TEST_F(NodeAgent, SaysWhatIsMissing) {
  create_location("default");
  const Json pod = node_.create_pod("db-0");
  std::ofstream(node_.volume(pod) / "file") << "x";
  node_.create_backup("b-location", pod, {{"spec", {{"backupStorageLocation", "nowhere"}}}});
  node_.create_backup("b-password", pod);
  Agent agent(node_);
  ASSERT_TRUE(becomes(api::kPodVolumeBackup, "b-location", "Failed"));
  EXPECT_THAT(node_.message(api::kPodVolumeBackup, "b-location"), HasSubstr("\"nowhere\""));
  ASSERT_TRUE(becomes(api::kPodVolumeBackup, "b-password", "Failed"));
  EXPECT_THAT(node_.message(api::kPodVolumeBackup, "b-password"), HasSubstr("velero-repo-credentials"));

  ASSERT_TRUE(location::ensure_repository_password(node_.client(), "velero", {}));
  node_.create_backup("b-repository", pod);
  ASSERT_TRUE(becomes(api::kPodVolumeBackup, "b-repository", "Failed"));
  EXPECT_THAT(node_.message(api::kPodVolumeBackup, "b-repository"), HasSubstr("there is no restic repository"));
}

TEST_F(NodeAgent, AParentThatResticDoesNotKnowIsDoneWithout) {
  create_repository();
  const Json pod = node_.create_pod("db-0");
  std::ofstream(node_.volume(pod) / "file") << "x";
  const Json labels = {{"labels", {{"velero.io/pvc-uid", "claim-1"}}}};
  node_.create_backup(
      "b-0", pod, {{"metadata", labels}, {"status", {{"phase", "Completed"}, {"snapshotID", std::string(64, '1')}}}});
  node_.create_backup("b-1", pod, {{"metadata", labels}});
  Agent agent(node_);
  EXPECT_TRUE(becomes(api::kPodVolumeBackup, "b-1", "Completed")) << describe(api::kPodVolumeBackup, "b-1");
}

TEST_F(NodeAgent, AStopEndsItWithinTheGraceAndTheNextOneFinishes) {
  create_repository();
  const Json pod = node_.create_pod("db-0");
  std::ofstream(node_.volume(pod) / "file") << "x";
  node_.create_backup("b-1", pod);
  node_.create_backup("b-2", pod);
  {
    Agent agent(node_, busy_restic());
    ASSERT_TRUE(soon([&] {
      return node_.phase(api::kPodVolumeBackup, "b-1") == "InProgress" ||
             node_.phase(api::kPodVolumeBackup, "b-2") == "InProgress";
    }));
    const auto ended = agent.stop();
    ASSERT_TRUE(ended) << "not in time";
    EXPECT_TRUE(*ended) << ended->error().message();
  }
  for (const std::string name : {"b-1", "b-2"}) EXPECT_NE(node_.phase(api::kPodVolumeBackup, name), "Failed");
  Agent agent(node_);
  for (const std::string name : {"b-1", "b-2"}) {
    EXPECT_TRUE(becomes(api::kPodVolumeBackup, name, "Completed")) << describe(api::kPodVolumeBackup, name);
  }
}

TEST_F(NodeAgent, CancelsWhatRunsAndWhatIsBehindIt) {
  create_repository();
  const Json pod = node_.create_pod("db-0");
  std::ofstream(node_.volume(pod) / "file") << "x";
  const std::vector<std::string> names = {"b-1", "b-2", "b-3", "b-4"};
  for (const std::string& name : names) node_.create_backup(name, pod);
  Agent agent(node_, busy_restic());
  std::string running;
  ASSERT_TRUE(soon([&] {
    for (const std::string& name : names) {
      if (node_.phase(api::kPodVolumeBackup, name) == "InProgress") running = name;
    }
    return !running.empty();
  }));
  for (const std::string& name : names) {
    if (name == running) continue;
    node_.patch(api::kPodVolumeBackup, name, {{"spec", {{"cancel", true}}}});
    EXPECT_TRUE(becomes(api::kPodVolumeBackup, name, "Canceled")) << name;
  }
  EXPECT_EQ(node_.phase(api::kPodVolumeBackup, running), "InProgress");
  node_.patch(api::kPodVolumeBackup, running, {{"spec", {{"cancel", true}}}});
  EXPECT_TRUE(becomes(api::kPodVolumeBackup, running, "Canceled"));
}

TEST_F(NodeAgent, ARestoreWhosePodIsDeletedBeforeItWaitsFails) {
  const Json pod = node_.create_pod("db-0", {{"phase", "Pending"}});
  node_.create_restore("r-1", pod);
  Agent agent(node_);
  ASSERT_TRUE(soon([&] { return agent.get("/readyz") == "working\n"; }));
  node_.remove_pod("db-0");
  ASSERT_TRUE(becomes(api::kPodVolumeRestore, "r-1", "Failed"));
  EXPECT_THAT(node_.message(api::kPodVolumeRestore, "r-1"), HasSubstr("pod shop/db-0 is gone"));
}

TEST_F(NodeAgent, ARestoreWhosePodIsDeletedWhileItIsFilledEndsAndSaysSo) {
  create_repository();
  const Json pod = node_.create_pod("db-0", waiting_pod());
  node_.create_restore("r-1", pod, {{"spec", {{"snapshotID", std::string(64, 'a')}, {"sourceNamespace", "shop"}}}});
  Agent agent(node_, busy_restic());
  ASSERT_TRUE(becomes(api::kPodVolumeRestore, "r-1", "InProgress"));
  // Before that the agent looks for the pod, and would say in other words that it is gone.
  ASSERT_TRUE(soon([&] { return fs::exists(busy_sign()); }));
  node_.remove_pod("db-0");
  ASSERT_TRUE(becomes(api::kPodVolumeRestore, "r-1", "Failed")) << describe(api::kPodVolumeRestore, "r-1");
  EXPECT_THAT(node_.message(api::kPodVolumeRestore, "r-1"), HasSubstr("the pod is gone, or being deleted"));
  EXPECT_FALSE(fs::exists(node_.volume(pod) / ".velero"));
}

TEST(NodeAgentOptions, SayWhatCannotWork) {
  const testkit::TempDir pods;
  const auto message = [&](AgentOptions options) {
    const Status checked = check(options);
    return checked ? "fine" : checked.error().message();
  };
  EXPECT_EQ(message({.node = "n", .pods_directory = pods.path()}), "fine");
  EXPECT_THAT(message({.pods_directory = pods.path()}), HasSubstr("NODE_NAME"));
  EXPECT_THAT(message({.node = "n", .pods_directory = pods.path() / "none"}), HasSubstr("/var/lib/kubelet/pods"));
  EXPECT_THAT(message({.node = "n", .pods_directory = pods.path(), .concurrency = 0}), HasSubstr("--concurrency"));
  EXPECT_THAT(message({.node = "n", .pods_directory = pods.path(), .progress_interval = Duration::zero()}),
              HasSubstr("--progress-interval"));
}

}  // namespace
}  // namespace landfall::agent
