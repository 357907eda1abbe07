#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/manual_clock.h"
#include "hooks/restore_hook_run.h"
#include "hooks/test_pods.h"
#include "kube/test_client.h"
#include "selection/test_discovery.h"

namespace landfall::hooks {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

SteadyTime soon() { return system_clock().after(testkit::kPatience); }

// A restore's hooks over a small API server. Commands do not run: what they would do is in `exec`, which hears
// "POD COMMAND". The log has that, and what was told, in order.
struct World {
  explicit World(std::vector<api::ExecHook> exec_hooks, HookRecords known = {}, Clock& clock = system_clock(),
                 int max_at_once = 16)
      : client(pods.server().url("")),
        run(RestoreHooks::make({{.filter = {.name = "h"}, .exec = std::move(exec_hooks)}}, selection::test_discovery())
                .value(),
            {.client = *client,
             .clock = clock,
             .random = client.random,
             .log = Logger(),
             .exec =
                 [this](const kube::ExecRequest& request, const kube::ExecOutput&, const std::stop_token& stop) {
                   note(request.pod + " " + request.command.at(0));
                   return exec ? exec(request, stop) : Result<kube::ExecOutcome>(kube::ExecOutcome{});
                 },
             .on_begin = [this](const std::string& id) -> Status {
               note("begin " + id);
               return {};
             },
             .on_end = [this](const std::string& id,
                              const std::string& error) { note("end " + id + (error.empty() ? "" : " failed")); },
             .max_at_once = max_at_once},
            std::move(known)) {}

  void note(const std::string& line) {
    lines.update([&](std::vector<std::string>& all) { all.push_back(line); });
  }
  bool await_line(const std::string& line) {
    return lines.wait_until(system_clock(), {}, soon(), [&](const std::vector<std::string>& all) {
      return std::ranges::find(all, line) != all.end();
    });
  }
  std::vector<std::string> failures() const {
    std::vector<std::string> all;
    for (const auto& failure : run.failures()) all.push_back(failure.name_space + ": " + failure.text);
    return all;
  }

  Monitor<std::vector<std::string>> lines;
  std::function<Result<kube::ExecOutcome>(const kube::ExecRequest& request, const std::stop_token& stop)> exec;
  TestPods pods;
  kube::TestClient client;
  RestoreHookRun run;
};

api::ExecHook command(std::string name) { return {.command = {std::move(name)}}; }

TEST(RestoreHookRunThreads, RunsHooksInSequenceOnceTheContainerRuns) {
  World world({command("a"), command("b")});
  EXPECT_TRUE(world.run.add(world.pods.put_pending("shop", "db-0")));
  EXPECT_FALSE(world.run.wait(system_clock().now(), {}));
  EXPECT_EQ(world.run.waiting_for(), "shop/db-0 container main");
  world.pods.put_running("shop", "db-0");
  ASSERT_TRUE(world.run.wait(soon(), {}));
  EXPECT_THAT(world.lines.copy(), ElementsAre("begin shop/db-0/main/1-of-2", "db-0 a", "end shop/db-0/main/1-of-2",
                                              "begin shop/db-0/main/2-of-2", "db-0 b", "end shop/db-0/main/2-of-2"));
  EXPECT_EQ(world.run.counts(), (HookCounts{.attempted = 2, .failed = 0}));
  EXPECT_THAT(world.failures(), IsEmpty());
  EXPECT_EQ(world.run.waiting_for(), "");
  // The same pod again changes nothing.
  EXPECT_TRUE(world.run.add(world.pods.put_running("shop", "db-0")));
  EXPECT_TRUE(world.run.wait(soon(), {}));
  EXPECT_EQ(world.run.counts(), (HookCounts{.attempted = 2, .failed = 0}));
}

TEST(RestoreHookRunThreads, HasNothingToDoForPodsWithoutHooks) {
  World world({});
  EXPECT_FALSE(world.run.add(world.pods.put_running("shop", "db-0")));
  EXPECT_TRUE(world.run.wait(system_clock().now(), {}));
  EXPECT_EQ(world.pods.server().connections(), 0);
}

TEST(RestoreHookRunThreads, EndsTheWatchWithTheLastHookOfANamespace) {
  World world({command("a")});
  world.run.add(world.pods.put_pending("shop", "db-0"));
  ASSERT_TRUE(world.pods.server().await_requests(2));  // the list and the watch
  world.pods.put_running("shop", "db-0");
  ASSERT_TRUE(world.run.wait(soon(), {}));
  EXPECT_TRUE(world.pods.server().await_finished(1));
  // And begins anew when another pod comes.
  world.run.add(world.pods.put_pending("shop", "db-1"));
  world.pods.put_running("shop", "db-1");
  EXPECT_TRUE(world.run.wait(soon(), {}));
  EXPECT_EQ(world.run.counts(), (HookCounts{.attempted = 2, .failed = 0}));
}

TEST(RestoreHookRunThreads, WaitsForReadyWhenAHookSaysSo) {
  api::ExecHook patient = command("a");
  patient.wait_for_ready = true;
  World world({patient});
  world.run.add(world.pods.put_running("shop", "db-0", false));
  ASSERT_TRUE(world.pods.server().await_requests(2));
  EXPECT_EQ(world.run.counts().attempted, 0);
  world.pods.put_running("shop", "db-0", true);
  ASSERT_TRUE(world.run.wait(soon(), {}));
  EXPECT_EQ(world.run.counts(), (HookCounts{.attempted = 1, .failed = 0}));
}

TEST(RestoreHookRunThreads, AFailureStopsThePodsOtherHooksWhenItSaysFailAndNeverThoseOfOtherPods) {
  api::ExecHook load = command("load");
  load.on_error = api::HookErrorMode::kFail;
  World world({command("first"), load, command("last")});
  world.exec = [](const kube::ExecRequest& request, const std::stop_token&) -> Result<kube::ExecOutcome> {
    const bool fails = request.pod == "db-0" && request.command.at(0) != "last";
    return kube::ExecOutcome{.exit_code = fails ? 3 : 0};
  };
  world.run.add(world.pods.put_pending("shop", "db-1"));
  world.run.add(world.pods.put_running("shop", "db-0"));
  ASSERT_TRUE(world.await_line("end shop/db-0/main/3-of-3 failed"));
  world.pods.put_running("shop", "db-1");
  ASSERT_TRUE(world.run.wait(soon(), {}));
  EXPECT_THAT(
      world.failures(),
      ElementsAre("shop: hook h in container main of pod shop/db-0 failed: command terminated with exit code 3",
                  "shop: hook h in container main of pod shop/db-0 failed: command terminated with exit code 3",
                  "shop: hook h in container main of pod shop/db-0 was not run: hook h in container main has failed, "
                  "and says onError: Fail"));
  EXPECT_EQ(world.run.counts(), (HookCounts{.attempted = 6, .failed = 3}));
}

TEST(RestoreHookRunThreads, FailsTheHooksOfAPodThatIsDeletedOrEnds) {
  World world({command("a")});
  world.run.add(world.pods.put_pending("bank", "job-0"));
  world.run.add(world.pods.put_pending("shop", "db-0"));
  ASSERT_TRUE(world.pods.server().await_requests(4));
  world.pods.remove("shop", "db-0");
  world.pods.put("bank", "job-0", {{"terminated", {{"exitCode", 1}}}}, false, "Failed");
  ASSERT_TRUE(world.run.wait(soon(), {}));
  EXPECT_THAT(world.failures(),
              ElementsAre("bank: hook h in container main of pod bank/job-0 was not run: the pod is over: it has ended "
                          "with the phase Failed",
                          "shop: hook h in container main of pod shop/db-0 was not run: the pod was deleted"));
  EXPECT_THAT(world.lines.copy(),
              UnorderedElementsAre("end shop/db-0/main/1-of-1 failed", "end bank/job-0/main/1-of-1 failed"));
  EXPECT_EQ(world.run.counts(), (HookCounts{.attempted = 2, .failed = 2}));
}

TEST(RestoreHookRunThreads, DoesNotRunAHookWhoseTimeToWaitIsOver) {
  ManualClock clock;
  api::ExecHook hasty = command("hasty");
  hasty.wait_timeout = minutes(5);
  World world({hasty, command("patient")}, {}, clock);
  world.run.add(world.pods.put_pending("shop", "db-0"));
  ASSERT_TRUE(world.pods.server().await_requests(2));
  clock.advance(minutes(5));
  ASSERT_TRUE(world.await_line("end shop/db-0/main/1-of-2 failed"));
  world.pods.put_running("shop", "db-0");
  ASSERT_TRUE(world.run.wait(kNever, {}));
  EXPECT_THAT(world.failures(),
              ElementsAre(HasSubstr("the container was not running within 5m0s: waiting: ContainerCreating")));
  EXPECT_THAT(world.lines.copy(), testing::Not(testing::Contains("db-0 hasty")));
  EXPECT_EQ(world.run.counts(), (HookCounts{.attempted = 2, .failed = 1}));
}

TEST(RestoreHookRunThreads, FindsOutThatAPodWasGoneBeforeTheWatchBegan) {
  ManualClock clock;
  World world({command("a")}, {}, clock);
  const json::Json pod = world.pods.put_pending("shop", "db-0");
  world.pods.remove("shop", "db-0");
  world.run.add(pod);
  ASSERT_TRUE(world.pods.server().await_requests(2));
  clock.advance(seconds(10));
  ASSERT_TRUE(world.run.wait(kNever, {}));
  EXPECT_THAT(world.failures(), ElementsAre(HasSubstr("the pod was deleted")));
}

TEST(RestoreHookRunThreads, RunsNothingInAnotherPodOfTheSameName) {
  ManualClock clock;
  World world({command("a")}, {}, clock);
  json::Json pod = world.pods.put_running("shop", "db-0");
  pod["metadata"]["uid"] = "earlier";
  pod["status"] = {{"phase", "Pending"}};
  world.run.add(pod);
  ASSERT_TRUE(world.pods.server().await_requests(2));
  clock.advance(seconds(10));
  ASSERT_TRUE(world.run.wait(kNever, {}));
  EXPECT_THAT(world.failures(), ElementsAre(HasSubstr("the pod was deleted")));
  EXPECT_THAT(world.lines.copy(), ElementsAre("end shop/db-0/main/1-of-1 failed"));
}

TEST(RestoreHookRunThreads, GoesOnFromWhatAnEarlierProcessHasDone) {
  World world({command("a"), command("b"), command("c")}, {{"shop/db-0/main/1-of-3", {.is_over = true, .error = "e"}},
                                                           {"shop/db-0/main/2-of-3", {.is_over = false}}});
  world.run.add(world.pods.put_running("shop", "db-0"));
  world.run.add_missing("bank", "job-0", "pods \"job-0\" not found");
  ASSERT_TRUE(world.run.wait(soon(), {}));
  EXPECT_THAT(world.lines.copy(), ElementsAre("begin shop/db-0/main/2-of-3", "db-0 b", "end shop/db-0/main/2-of-3",
                                              "begin shop/db-0/main/3-of-3", "db-0 c", "end shop/db-0/main/3-of-3"));
  EXPECT_THAT(world.failures(),
              ElementsAre("bank: hooks of pod bank/job-0 were not run: pods \"job-0\" not found", "shop: e"));
  EXPECT_EQ(world.run.counts(), (HookCounts{.attempted = 4, .failed = 2}));
}

TEST(RestoreHookRunThreads, RunsSoManyAtOnceAndNoMore) {
  struct Load {
    int now = 0;
    int most = 0;
  };
  Monitor<Load> load;
  World world({command("a")}, {}, system_clock(), 2);
  world.exec = [&](const kube::ExecRequest&, const std::stop_token& stop) -> Result<kube::ExecOutcome> {
    load.update([](Load& at) { at.most = std::max(at.most, ++at.now); });
    load.wait_until(system_clock(), stop, soon(), [](const Load& at) { return at.most == 2; });
    load.update([](Load& at) { --at.now; });
    return kube::ExecOutcome{};
  };
  for (int i = 0; i < 6; ++i) world.run.add(world.pods.put_running("shop", "db-" + std::to_string(i)));
  ASSERT_TRUE(world.run.wait(soon(), {}));
  EXPECT_EQ(load.copy().most, 2);
  EXPECT_EQ(world.run.counts(), (HookCounts{.attempted = 6, .failed = 0}));
}

TEST(RestoreHookRunThreads, AStopEndsItAtOnceAndFailsNothing) {
  Monitor<bool> is_cut_off;
  auto world = std::make_unique<World>(std::vector{command("a"), command("b")});
  world->exec = [&](const kube::ExecRequest&, const std::stop_token& stop) -> Result<kube::ExecOutcome> {
    Monitor<bool> never;
    never.wait_until(system_clock(), stop, kNever, [](bool) { return false; });
    is_cut_off.update([](bool& was) { was = true; });
    return fail(Code::kCancelled, "stopped");
  };
  world->run.add(world->pods.put_running("shop", "db-0"));
  world->run.add(world->pods.put_pending("shop", "db-1"));
  ASSERT_TRUE(world->await_line("db-0 a"));
  EXPECT_EQ(world->run.waiting_for(), "shop/db-0 container main, shop/db-1 container main");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(world->run.wait(soon(), stop.get_token()));
  EXPECT_THAT(world->failures(), IsEmpty());
  const SteadyTime began = system_clock().now();
  world.reset();
  EXPECT_LT(system_clock().now() - began, seconds(60));
  EXPECT_TRUE(is_cut_off.copy());
}

}  // namespace
}  // namespace landfall::hooks
