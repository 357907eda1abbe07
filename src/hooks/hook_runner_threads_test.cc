#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "hooks/hook_runner.h"
#include "io/test_websocket.h"
#include "json/json.h"
#include "kube/test_client.h"
#include "selection/test_discovery.h"
#include "testkit/scripted_server.h"

namespace landfall::hooks {
namespace {

using testkit::ScriptedConnection;
using testkit::ScriptedServer;

json::Json pod() {
  return {{"metadata", {{"name", "db-0"}, {"namespace", "shop"}}}, {"spec", {{"containers", {{{"name", "main"}}}}}}};
}

HookRunner runner_over(kube::Client& client) {
  return {BackupHooks::make({{.pre = {{.command = {"freeze"}}}}}, selection::test_discovery()).value(),
          exec_over(client)};
}

TEST(HookRunner, RunsHooksOfManyPodsAtOnceOverTheApiServer) {
  std::atomic<int> commands = 0;
  const ScriptedServer server([&](ScriptedConnection& c) {
    io::TestWebSocket peer(c);
    if (!peer.accept("v5.channel.k8s.io")) return;
    // Every other command fails.
    peer.send(++commands % 2 == 0 ? "\3{\"status\":\"Success\"}"
                                  : "\3{\"status\":\"Failure\",\"reason\":\"NonZeroExitCode\",\"details\":{\"causes\":"
                                    "[{\"reason\":\"ExitCode\",\"message\":\"1\"}]}}");
  });
  const kube::TestClient client(server.url(""));
  HookRunner runner = runner_over(*client);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { EXPECT_TRUE(runner.run(pod(), HookPhase::kPre, Logger(), {})); });
  }
  threads.clear();
  EXPECT_EQ(commands, 4);
  EXPECT_EQ(runner.counts(), (HookCounts{.attempted = 4, .failed = 2}));
}

TEST(HookRunner, AStopEndsAHookThatHangs) {
  const ScriptedServer server([](ScriptedConnection& c) {
    io::TestWebSocket peer(c);
    if (peer.accept("v5.channel.k8s.io")) c.hold();
  });
  const kube::TestClient client(server.url(""));
  HookRunner runner = runner_over(*client);
  std::stop_source stop;
  std::jthread hook([&] { EXPECT_TRUE(runner.run(pod(), HookPhase::kPre, Logger(), stop.get_token())); });
  ASSERT_TRUE(server.await_requests(1));
  stop.request_stop();
  hook.join();
  EXPECT_EQ(runner.counts(), (HookCounts{.attempted = 1, .failed = 0}));
}

}  // namespace
}  // namespace landfall::hooks
