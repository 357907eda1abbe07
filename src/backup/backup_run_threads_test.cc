#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "backup/backup_run.h"
#include "base/guarded.h"
#include "json/json.h"
#include "kube/test_client.h"
#include "selection/test_discovery.h"
#include "testkit/scripted_connection.h"
#include "testkit/scripted_server.h"

namespace landfall::backup {
namespace {

using json::Json;
using testing::ElementsAre;
using testkit::reply;
using testkit::ScriptedRequest;
using testkit::ScriptedServer;

// One pod that has hooks.
std::string pods() {
  const Json pod = {
      {"metadata",
       {{"name", "db"},
        {"namespace", "shop"},
        {"annotations",
         {{"pre.hook.backup.velero.io/command", "freeze"}, {"post.hook.backup.velero.io/command", "thaw"}}}}},
      {"spec", {{"containers", Json::array({{{"name", "db"}}})}}},
      {"status", {{"phase", "Running"}}}};
  return reply(200, Json{{"kind", "PodList"},
                         {"apiVersion", "v1"},
                         {"metadata", {{"resourceVersion", "7"}}},
                         {"items", Json::array({pod})}}
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

class BackupRunHooks : public ::testing::Test {
 protected:
  Result<BackupProduct> run(std::vector<std::unique_ptr<extension::BackupItemAction>> actions) {
    const ScriptedServer server(ScriptedServer::answering([](const ScriptedRequest&) { return pods(); }));
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
                      .log = Logger(),
                      .progress = progress,
                      .hooks = hooks,
                      .actions = actions,
                      .spool_directory = "/tmp",
                      .workers = 2};
    return run_backup({.backup = backup, .spec = spec, .filter = filter, .policies = policies, .discovery = discovery},
                      tools, stop_.get_token());
  }

  std::stop_source stop_;
  Guarded<std::vector<std::string>> ran_;
};

TEST_F(BackupRunHooks, RunBeforeAndAfter) {
  const auto product = run({});
  ASSERT_TRUE(product) << product.error().message();
  EXPECT_EQ(product->items, 1);
  EXPECT_THAT(ran_.copy(), ElementsAre("freeze", "thaw"));
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
