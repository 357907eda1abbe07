#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "backup/backup_run.h"
#include "base/guarded.h"
#include "io/log_sink.h"
#include "json/json.h"
#include "kube/test_client.h"
#include "selection/test_discovery.h"
#include "testkit/scripted_connection.h"
#include "testkit/scripted_server.h"

namespace landfall::backup {
namespace {

using json::Json;
using testing::ElementsAre;
using testing::HasSubstr;
using testkit::reply;
using testkit::ScriptedRequest;
using testkit::ScriptedServer;

// A pod that has hooks and a volume.
Json pod(const std::string& name) {
  return {{"metadata",
           {{"name", name},
            {"namespace", "shop"},
            {"annotations",
             {{"pre.hook.backup.velero.io/command", "freeze"},
              {"post.hook.backup.velero.io/command", "thaw"},
              {"backup.velero.io/backup-volumes", "data"}}}}},
          {"spec",
           {{"nodeName", "n1"},
            {"containers", Json::array({{{"name", "db"}, {"volumeMounts", Json::array({{{"name", "data"}}})}}})},
            {"volumes", Json::array({{{"name", "data"}, {"emptyDir", Json::object()}}})}}},
          {"status", {{"phase", "Running"}}}};
}

std::string pods(const std::vector<std::string>& names) {
  Json items = Json::array();
  for (const std::string& name : names) items.push_back(pod(name));
  return reply(
      200, Json{{"kind", "PodList"}, {"apiVersion", "v1"}, {"metadata", {{"resourceVersion", "7"}}}, {"items", items}}
               .dump());
}

// Stops the backup when the pod's turn comes.
class Stops final : public extension::BackupItemAction {
 public:
  explicit Stops(std::stop_source stop) : stop_(std::move(stop)) {}
  std::string name() const override { return "test/stops"; }
  extension::ActionScope scope() const override { return {.included_resources = {"pods"}}; }
  Result<extension::BackupActionResult> execute(const Json& /*item*/, const Json& /*backup*/,
                                                const std::stop_token& /*stop*/) override {
    stop_.request_stop();
    return extension::BackupActionResult{};
  }

 private:
  std::stop_source stop_;
};

// Knows which pods belong together, and something that is not there. Fails for one.
class Relates final : public extension::ItemBlockAction {
 public:
  std::string name() const override { return "test/relates"; }
  extension::ActionScope scope() const override { return {.included_resources = {"pods"}}; }
  Result<std::vector<k8s::ObjectRef>> related_items(const Json& item, const Json& backup,
                                                    const std::stop_token& /*stop*/) override {
    EXPECT_EQ(backup["metadata"]["name"], "b");
    const std::string name = item["metadata"]["name"];
    if (name == "broken") return fail(Code::kInternal, "no idea");
    if (name != "web") return std::vector<k8s::ObjectRef>();
    return std::vector<k8s::ObjectRef>{{.resource = {"", "pods"}, .name_space = "shop", .name = "gone"},
                                       {.resource = {"no.such", "kinds"}, .name_space = "shop", .name = "x"},
                                       {.resource = {"", "pods"}, .name_space = "shop", .name = "db"}};
  }
};

class Taker final : public PodVolumeTaker {
 public:
  explicit Taker(Guarded<std::vector<std::string>>& heard) : heard_(heard) {}
  std::vector<Refusal> begin(const Json& /*pod*/, const std::vector<std::string>& volumes,
                             const std::stop_token& /*stop*/) override {
    for (const std::string& one : volumes) say("copy " + one);
    return {};
  }
  void wait_for(const Json& pod, const std::stop_token& /*stop*/) override {
    say("wait for " + pod["metadata"]["name"].get<std::string>());
  }

 private:
  void say(const std::string& what) {
    heard_.with([&](auto& heard) { heard.push_back(what); });
  }
  Guarded<std::vector<std::string>>& heard_;
};

class BackupRunHooks : public ::testing::Test {
 protected:
  Result<BackupProduct> run(std::vector<std::unique_ptr<extension::BackupItemAction>> actions) {
    const ScriptedServer server(ScriptedServer::answering([this](const ScriptedRequest&) { return pods(names_); }));
    const kube::TestClient client(server.url(""));
    const kube::Discovery discovery({{.name = "", .versions = {"v1"}}},
                                    {selection::test_resource("", "v1", "pods", "Pod")}, {});
    const auto filter = selection::BackupFilter::make({}, nullptr, discovery, {{.name = "shop"}}).value();
    hooks::HookRunner hooks({},
                            [this](const kube::ExecRequest& request, const kube::ExecOutput&,
                                   const std::stop_token& stop) -> Result<kube::ExecOutcome> {
                              if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
                              ran_.with([&](auto& ran) { ran.push_back(request.command.front()); });
                              return kube::ExecOutcome{};
                            });
    progress::ItemReporter progress(system_clock(), Logger());
    const Json backup = {{"metadata", {{"name", "b"}, {"uid", "1"}}}};
    const api::BackupSpec spec;
    const selection::ResourcePolicies policies;
    BackupTools tools{.client = *client,
                      .clock = system_clock(),
                      .log = log_,
                      .progress = progress,
                      .hooks = hooks,
                      .actions = actions,
                      .pod_volumes = &taker_,
                      .block_actions = block_actions_,
                      .spool_directory = "/tmp",
                      .workers = 2};
    return run_backup({.backup = backup, .spec = spec, .filter = filter, .policies = policies, .discovery = discovery},
                      tools, stop_.get_token());
  }

  std::vector<std::string> names_ = {"db"};
  std::vector<std::unique_ptr<extension::ItemBlockAction>> block_actions_;
  Logger log_;
  std::stop_source stop_;
  Guarded<std::vector<std::string>> ran_;
  Taker taker_{ran_};
};

// What is frozen stays so until the files of the pod's volumes are copied.
TEST_F(BackupRunHooks, RunBeforeAndAfter) {
  const auto product = run({});
  ASSERT_TRUE(product) << product.error().message();
  EXPECT_EQ(product->items, 1);
  EXPECT_THAT(ran_.copy(), ElementsAre("freeze", "copy data", "wait for db", "thaw"));
}

// Whatever the workers do: nothing of one is taken before all of them are frozen.
TEST_F(BackupRunHooks, RunForAllPodsThatAnActionPutsTogether) {
  names_ = {"db", "web"};
  block_actions_.push_back(std::make_unique<Relates>());
  const auto product = run({});
  ASSERT_TRUE(product) << product.error().message();
  EXPECT_EQ(product->items, 2);
  EXPECT_THAT(ran_.copy(),
              ElementsAre("freeze", "freeze", "copy data", "copy data", "wait for db", "thaw", "wait for web", "thaw"));
}

TEST_F(BackupRunHooks, AreNotKeptFromRunningByABlockActionThatFails) {
  names_ = {"broken"};
  block_actions_.push_back(std::make_unique<Relates>());
  const auto sink = std::make_shared<io::MemoryLogSink>();
  log_ = Logger(system_clock(), sink, LogLevel::kError);
  const auto product = run({});
  ASSERT_TRUE(product) << product.error().message();
  EXPECT_EQ(product->items, 1);
  EXPECT_THAT(ran_.copy(), ElementsAre("freeze", "copy data", "wait for broken", "thaw"));
  EXPECT_THAT(sink->text(), HasSubstr("test/relates: no idea"));
}

TEST_F(BackupRunHooks, ThawWhatTheyFrozeAlsoAfterAStop) {
  std::vector<std::unique_ptr<extension::BackupItemAction>> actions;
  actions.push_back(std::make_unique<Stops>(stop_));
  const auto product = run(std::move(actions));
  ASSERT_FALSE(product);
  EXPECT_EQ(product.error().code(), Code::kCancelled);
  EXPECT_THAT(ran_.copy(), ElementsAre("freeze", "thaw"));
}

}  // namespace
}  // namespace landfall::backup
