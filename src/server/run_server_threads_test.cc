#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <thread>

#include "api/labels.h"
#include "base/strings.h"
#include "control/test_cluster.h"
#include "io/file.h"
#include "io/http_client.h"
#include "io/log_sink.h"
#include "json/access.h"
#include "json/json.h"
#include "server/controller_set.h"
#include "server/server.h"

namespace landfall::server {
namespace {

using control::TestCluster;
using json::Json;
using testing::HasSubstr;

constexpr Duration kPatience = std::chrono::seconds(60);

template <class Ready>
bool soon(const Ready& ready) {
  const SteadyTime deadline = system_clock().after(kPatience);
  while (!ready()) {
    if (system_clock().now() > deadline) return false;
    system_clock().sleep_for(std::chrono::milliseconds(10), {});
  }
  return true;
}

// A replica in a thread of its own.
class Replica {
 public:
  Replica(const TestCluster& cluster, const std::string& identity, ServerOptions options = {}) {
    options.identity = identity;
    options.host = "127.0.0.1";
    options.metrics_address = "127.0.0.1:0";
    options.artifacts_address = "127.0.0.1:0";
    // Nobody loses it because the machine is busy, and what is not given back still expires within our patience.
    options.lease_duration = std::chrono::seconds(30);
    options.renew_deadline = std::chrono::seconds(20);
    options.retry_period = std::chrono::milliseconds(100);
    thread_ = std::jthread([this, &cluster, options](const std::stop_token& stop) {
      const World world{.client = cluster.client(),
                        .clock = system_clock(),
                        .random = system_random(),
                        .environment = environment_,
                        .processes = *processes_,
                        .log = Logger(system_clock(), log_),
                        .end_process = [] { ADD_FAILURE() << "the process would have been ended"; },
                        .on_listening =
                            [this](const std::string& health, const std::string& artifacts) {
                              addresses_.update([&](auto& it) { it = {health, artifacts}; });
                            }};
      Status ended = run_server(options, world, stop);
      outcome_.update([&](auto& it) { it = std::move(ended); });
    });
  }

  // Body of a GET; empty unless it is a 200.
  std::string get(const std::string& path) { return fetch(addresses().first + path); }
  std::string get_artifact(const std::string& path) { return fetch(addresses().second + path); }
  bool is_working() { return get("/readyz") == "working\n"; }
  bool is_waiting() { return get("/readyz") == "waiting for the lease\n"; }
  std::string log() const { return log_->text(); }

  void request_stop() { thread_.request_stop(); }
  std::optional<Status> ended_within(Duration time) {
    outcome_.wait_until(system_clock(), {}, system_clock().after(time), [](const auto& it) { return it.has_value(); });
    return outcome_.copy();
  }

 private:
  std::pair<std::string, std::string> addresses() {
    addresses_.wait_until(system_clock(), {}, system_clock().after(kPatience),
                          [](const auto& it) { return !it.first.empty(); });
    return addresses_.copy();
  }
  std::string fetch(const std::string& url) {
    const auto answer = http_->send({.url = url}, {});
    return answer && answer->status == 200 ? answer->body : "";
  }

  const Environment environment_;
  const std::unique_ptr<io::ProcessRunner> processes_ = io::make_system_process_runner(system_clock());
  const std::shared_ptr<io::MemoryLogSink> log_ = std::make_shared<io::MemoryLogSink>();
  const std::unique_ptr<io::HttpClient> http_ = io::HttpClient::create({}).value();
  Monitor<std::pair<std::string, std::string>> addresses_;
  Monitor<std::optional<Status>> outcome_;
  std::jthread thread_;  // last: ends before what it uses
};

Json unchecked_location(const TestCluster& cluster) {
  return {{"metadata", {{"name", "default"}}},
          {"spec",
           {{"provider", "filesystem"},
            {"objectStorage", {{"bucket", "bucket"}}},
            {"config", {{"path", std::filesystem::path(cluster.bucket()).parent_path().string()}}}}}};
}

std::string phase(const TestCluster& cluster, const api::Kind& kind, const std::string& name) {
  return json::string_or(cluster.get(kind, name), {"status", "phase"}, "");
}

TEST(Server, ServesHealthAndMetricsAndWorksUntilItIsStopped) {
  const TestCluster cluster;
  cluster.create(api::kBackup, {{"metadata", {{"name", "old"}, {"labels", {{"velero.io/schedule-name", "daily"}}}}},
                                {"status", {{"phase", "Completed"}, {"completionTimestamp", "2026-01-02T03:04:05Z"}}}});
  Replica replica(cluster, "pod-1");
  EXPECT_EQ(replica.get("/healthz"), "ok\n");
  ASSERT_TRUE(soon([&] { return replica.is_working(); })) << replica.log();

  cluster.create(api::kBackupStorageLocation, unchecked_location(cluster));
  EXPECT_TRUE(soon([&] { return phase(cluster, api::kBackupStorageLocation, "default") == "Available"; }))
      << replica.log();

  EXPECT_TRUE(soon([&] {
    const std::string text = replica.get("/metrics");
    return contains(text, "velero_backup_total 1\n") &&
           contains(text, "velero_backup_location_status_gauge{backup_location_name=\"default\"} 1\n");
  }));
  const std::string metrics = replica.get("/metrics");
  EXPECT_THAT(metrics, HasSubstr("velero_backup_last_successful_timestamp{schedule=\"daily\"} 1767323045\n"));
  EXPECT_THAT(metrics, HasSubstr("velero_backup_attempt_total{schedule=\"\"} 0\n"));
  EXPECT_THAT(metrics, HasSubstr("landfall_leader 1\n"));

  replica.request_stop();
  const auto ended = replica.ended_within(kPatience);
  ASSERT_TRUE(ended) << replica.log();
  EXPECT_TRUE(*ended) << ended->error().message();
  // The lease is given back, so that the next one need not wait.
  const Json lease = TestCluster::must(
      kube::Resource(cluster.client(), {"coordination.k8s.io", "v1", "leases"}, "velero").get("landfall-server", {}));
  EXPECT_EQ(lease["spec"]["holderIdentity"], "");
}

TEST(Server, ServesTheArtifactsThatDownloadRequestsAskFor) {
  const TestCluster cluster;
  cluster.create_location("default");
  cluster.create(api::kBackup, {{"metadata", {{"name", "b"}}},
                                {"spec", {{"storageLocation", "default"}}},
                                {"status", {{"phase", "Completed"}}}});
  std::filesystem::create_directories(cluster.bucket() + "/backups/b");
  ASSERT_TRUE(io::write_file(cluster.bucket() + "/backups/b/b-results.gz", "results", {}));
  Replica replica(cluster, "pod-1");
  cluster.create(api::kDownloadRequest,
                 {{"metadata", {{"name", "r"}}}, {"spec", {{"target", {{"kind", "BackupResults"}, {"name", "b"}}}}}});

  std::string url;
  ASSERT_TRUE(soon([&] {
    url = json::string_or(cluster.get(api::kDownloadRequest, "r"), {"status", "downloadURL"}, "");
    return !url.empty();
  })) << replica.log();
  EXPECT_EQ(replica.get_artifact(url.substr(url.find("/artifacts"))), "results") << url;
}

TEST(Server, TakesABackupFromNewToItsDeletion) {
  const TestCluster cluster;
  cluster.create({"", "v1", "configmaps"}, "default", {{"metadata", {{"name", "note"}}}, {"data", {{"a", "b"}}}});
  Replica replica(cluster, "pod-1");
  cluster.create(api::kBackupStorageLocation, unchecked_location(cluster));
  ASSERT_TRUE(soon([&] { return phase(cluster, api::kBackupStorageLocation, "default") == "Available"; }));

  cluster.create(api::kBackup, {{"metadata", {{"name", "b"}}}, {"spec", {{"includedNamespaces", {"default"}}}}});

  EXPECT_TRUE(soon([&] { return phase(cluster, api::kBackup, "b") == "Completed"; }))
      << cluster.get(api::kBackup, "b").dump(1) << replica.log();
  const std::string folder = cluster.bucket() + "/backups/b";
  EXPECT_TRUE(std::filesystem::exists(folder + "/b.tar.gz"));
  EXPECT_TRUE(
      soon([&] { return contains(replica.get("/metrics"), "velero_backup_success_total{schedule=\"\"} 1\n"); }));

  cluster.create(api::kDeleteBackupRequest, {{"metadata", {{"name", "d"}}}, {"spec", {{"backupName", "b"}}}});

  EXPECT_TRUE(soon([&] { return !cluster.objects(api::kBackup).get("b", {}); })) << replica.log();
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(Server, TakesARestoreFromNewToItsDeletion) {
  const TestCluster cluster;
  cluster.create({"", "v1", "configmaps"}, "default", {{"metadata", {{"name", "note"}}}, {"data", {{"a", "b"}}}});
  Replica replica(cluster, "pod-1");
  cluster.create(api::kBackupStorageLocation, unchecked_location(cluster));
  ASSERT_TRUE(soon([&] { return phase(cluster, api::kBackupStorageLocation, "default") == "Available"; }));
  cluster.create(api::kBackup, {{"metadata", {{"name", "b"}}}, {"spec", {{"includedNamespaces", {"default"}}}}});
  ASSERT_TRUE(soon([&] { return phase(cluster, api::kBackup, "b") == "Completed"; })) << replica.log();

  cluster.create(api::kRestore, {{"metadata", {{"name", "r"}}},
                                 {"spec", {{"backupName", "b"}, {"namespaceMapping", {{"default", "copy"}}}}}});
  EXPECT_TRUE(soon([&] { return phase(cluster, api::kRestore, "r") == "Completed"; }))
      << cluster.get(api::kRestore, "r").dump(1) << replica.log();
  EXPECT_TRUE(kube::Resource(cluster.client(), {"", "v1", "configmaps"}, "copy").get("note", {}));
  EXPECT_TRUE(
      soon([&] { return contains(replica.get("/metrics"), "velero_restore_success_total{schedule=\"\"} 1\n"); }));
  EXPECT_TRUE(std::filesystem::exists(cluster.bucket() + "/restores/r/restore-r-logs.gz"));

  ASSERT_TRUE(cluster.objects(api::kRestore).remove("r", {}));
  EXPECT_TRUE(soon([&] { return !cluster.objects(api::kRestore).get("r", {}); })) << replica.log();
  EXPECT_FALSE(std::filesystem::exists(cluster.bucket() + "/restores/r"));
}

TEST(Server, OfTwoReplicasOneWorksAndTheOtherTakesOver) {
  const TestCluster cluster;
  Replica first(cluster, "pod-1");
  ASSERT_TRUE(soon([&] { return first.is_working(); })) << first.log();
  Replica second(cluster, "pod-2");
  // Ready, so that a rollout goes on, but not at work.
  ASSERT_TRUE(soon([&] { return second.is_waiting(); })) << second.log();
  EXPECT_TRUE(first.is_working());
  EXPECT_THAT(second.get("/metrics"), HasSubstr("landfall_leader 0\n"));

  first.request_stop();

  EXPECT_TRUE(soon([&] { return second.is_working(); })) << second.log();
  cluster.create(api::kServerStatusRequest, {{"metadata", {{"name", "hello"}}}, {"spec", Json::object()}});
  EXPECT_TRUE(soon([&] { return phase(cluster, api::kServerStatusRequest, "hello") == "Processed"; })) << second.log();
}

TEST(Server, StopsWorkingWhenItLosesTheLeaseAndGoesOnWhenItGetsItBack) {
  const TestCluster cluster;
  Replica replica(cluster, "pod-1");
  ASSERT_TRUE(soon([&] { return replica.is_working(); })) << replica.log();
  const kube::Resource leases(cluster.client(), {"coordination.k8s.io", "v1", "leases"}, "velero");

  ASSERT_TRUE(leases.patch("landfall-server", kube::PatchType::kMerge,
                           {{"spec", {{"holderIdentity", "thief"}, {"leaseDurationSeconds", 1}}}}, {}));

  EXPECT_TRUE(soon([&] { return contains(replica.log(), "lost the lease"); }));
  // Nobody renews it, so it expires.
  EXPECT_TRUE(soon([&] { return replica.is_working(); })) << replica.log();
}

TEST(Server, EndsWithAClearErrorWhereItsKindsAreMissing) {
  const TestCluster cluster;
  ASSERT_TRUE(kube::Resource(cluster.client(), {"apiextensions.k8s.io", "v1", "customresourcedefinitions"})
                  .remove(api::kSchedule.definition(), {}));
  ASSERT_TRUE(soon([&] {
    return !kube::Resource(cluster.client(), {"apiextensions.k8s.io", "v1", "customresourcedefinitions"})
                .get(api::kSchedule.definition(), {});
  }));
  Replica replica(cluster, "pod-1");
  const auto ended = replica.ended_within(kPatience);
  ASSERT_TRUE(ended);
  ASSERT_FALSE(*ended);
  EXPECT_THAT(ended->error().message(), HasSubstr("schedules.velero.io"));
}

TEST(Server, EndsWithAClearErrorWhereItsNamespaceIsMissing) {
  const TestCluster cluster;
  Replica replica(cluster, "pod-1", {.name_space = "nowhere"});
  const auto ended = replica.ended_within(kPatience);
  ASSERT_TRUE(ended);
  ASSERT_FALSE(*ended);
  EXPECT_THAT(ended->error().message(), HasSubstr("\"nowhere\""));
}

TEST(Server, RefusesAnAddressThatIsTaken) {
  const TestCluster cluster;
  const auto taken = sandbox::Sandbox::start({.tls = false}, system_clock(), system_random(), Logger()).value();
  const Environment environment;
  const auto processes = io::make_system_process_runner(system_clock());
  const Status ended = run_server({.metrics_address = "127.0.0.1:" + std::to_string(taken->port())},
                                  {.client = cluster.client(),
                                   .clock = system_clock(),
                                   .random = system_random(),
                                   .environment = environment,
                                   .processes = *processes},
                                  {});
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code(), Code::kAlreadyExists);
  EXPECT_THAT(ended.error().message(), HasSubstr("--metrics-address"));
}

TEST(ControllerSet, EndsWithAnErrorWhenOneOfItsThreadsDies) {
  const TestCluster cluster;
  ControllerSet set(cluster.context());
  set.cache(api::kBackup);
  set.add_task("totals", [](const std::stop_token&) { throw std::runtime_error("out of luck"); });

  const Status ended = set.run({.grace = kPatience}, {});

  ASSERT_FALSE(ended);
  EXPECT_THAT(ended.error().message(), HasSubstr("totals: out of luck"));
}

TEST(ControllerSet, TellsWhenAControllerDoesNotEndInTime) {
  const TestCluster cluster;
  ControllerSet set(cluster.context());
  std::stop_source stop;
  std::stop_source release;
  set.cache(api::kBackup);
  set.add_task("slow", [&](const std::stop_token&) { system_clock().sleep_for(Duration::max(), release.get_token()); });
  bool is_stuck = false;

  const Status ended = set.run({.grace = std::chrono::milliseconds(50),
                                .on_synced = [&] { stop.request_stop(); },
                                .on_stuck =
                                    [&] {
                                      is_stuck = true;
                                      release.request_stop();
                                    }},
                               stop.get_token());

  EXPECT_TRUE(ended);
  EXPECT_TRUE(is_stuck);
}

}  // namespace
}  // namespace landfall::server
