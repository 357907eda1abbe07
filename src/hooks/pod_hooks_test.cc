#include "hooks/pod_hooks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/manual_clock.h"
#include "json/json.h"

namespace landfall::hooks {
namespace {

using json::Json;
using std::chrono::minutes;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

const k8s::NamespacedName kPod{"shop", "db-0"};

PlannedRestoreHook hook(std::string name, std::string container, std::optional<Duration> wait = {}) {
  return {.hook = {.name = std::move(name), .container = std::move(container), .command = {"x"}}, .wait_timeout = wait};
}

PlannedRestoreHook fatal(PlannedRestoreHook planned) {
  planned.hook.on_error = api::HookErrorMode::kFail;
  return planned;
}

Json status(const std::string& container, const Json& state, bool is_ready = false) {
  return {{"name", container}, {"state", state}, {"ready", is_ready}};
}

const Json kRunning = {{"running", Json::object()}};

Json pod(const Json& statuses, const std::string& phase = "Running") {
  return {{"spec", {{"restartPolicy", "Always"}}}, {"status", {{"phase", phase}, {"containerStatuses", statuses}}}};
}

struct Case {
  explicit Case(std::vector<PlannedRestoreHook> plan, const HookRecords& known = {})
      : hooks(kPod, std::move(plan), known, clock) {}
  PodHooks::Decision decide(const Json& pod) { return hooks.decide(&pod, clock.now()); }
  ManualClock clock;
  PodHooks hooks;
};

TEST(PodHooks, RunAllHooksOfAContainerOnceItRuns) {
  Case a({hook("1", "main"), hook("2", "side"), hook("3", "main")});
  const Json both_wait = pod(Json::array({status("main", {{"waiting", {{"reason", "x"}}}})}));
  EXPECT_THAT(a.decide(both_wait).run, IsEmpty());
  EXPECT_THAT(a.decide(both_wait).fail, IsEmpty());
  EXPECT_THAT(a.decide(pod(Json::array({status("side", kRunning)}))).run, ElementsAre(1));
  const Json both = pod({status("main", kRunning), status("side", kRunning)});
  EXPECT_THAT(a.decide(both).run, ElementsAre(0, 2));
  a.hooks.end(0, "");
  a.hooks.end(2, "not fatal");
  EXPECT_THAT(a.decide(both).run, ElementsAre(1));
  EXPECT_EQ(a.hooks.waiting_for(), "shop/db-0 container side");
  a.hooks.end(1, "");
  EXPECT_TRUE(a.hooks.is_over());
  EXPECT_EQ(a.hooks.waiting_for(), "");
}

TEST(PodHooks, WaitForReadyWhenOneOfTheContainerSaysSo) {
  Case a({hook("1", "main"), hook("2", "main"), hook("3", "side")});
  PlannedRestoreHook patient = hook("2", "main");
  patient.waits_for_ready = true;
  Case b({hook("1", "main"), patient, hook("3", "side")});
  const Json running = pod(Json::array({status("main", kRunning)}));
  EXPECT_THAT(a.decide(running).run, ElementsAre(0, 1));
  EXPECT_THAT(b.decide(running).run, IsEmpty());
  EXPECT_THAT(b.decide(pod(Json::array({status("side", kRunning)}))).run, ElementsAre(2));
  EXPECT_THAT(b.decide(pod(Json::array({status("main", kRunning, true)}))).run, ElementsAre(0, 1));
}

TEST(PodHooks, FailWithoutBeingRunWhenTheirTimeToWaitIsOver) {
  Case a({hook("1", "main", minutes(5)), hook("2", "main"), hook("3", "main", minutes(7))});
  const Json waiting =
      pod(Json::array({status("main", {{"waiting", {{"reason", "ImagePullBackOff"}, {"message", "no such image"}}}})}));
  EXPECT_EQ(a.hooks.next_expiry(), a.clock.after(minutes(5)));
  a.clock.advance(minutes(5));
  EXPECT_THAT(a.decide(waiting).fail,
              ElementsAre(Pair(0,
                               "hook 1 in container main of pod shop/db-0 was not run: the container was not "
                               "running within 5m0s: waiting: ImagePullBackOff: no such image")));
  // One that runs at last is in time: the rest is up to the commands before it.
  EXPECT_THAT(a.decide(pod(Json::array({status("main", kRunning)}))).run, ElementsAre(0, 1, 2));
  a.hooks.end(0, "x");
  EXPECT_EQ(a.hooks.next_expiry(), a.clock.after(minutes(2)));
}

TEST(PodHooks, SayThatAPodIsNotScheduled) {
  Case a({hook("1", "main", minutes(5))});
  a.clock.advance(minutes(5));
  Json pending = {{"status",
                   {{"phase", "Pending"},
                    {"conditions", Json::array({{{"type", "PodScheduled"},
                                                 {"status", "False"},
                                                 {"reason", "Unschedulable"},
                                                 {"message", std::string(290, 'x') + "日本語日本語"}}})}}}};
  const auto decision = a.decide(pending);
  ASSERT_EQ(decision.fail.size(), 1U);
  EXPECT_THAT(decision.fail[0].second, HasSubstr("the pod is not scheduled: Unschedulable: xxx"));
  EXPECT_TRUE(decision.fail[0].second.ends_with("日本語…"));
}

TEST(PodHooks, FailWhenThePodIsDeletedOrEnds) {
  Case a({hook("1", "main"), hook("2", "side")});
  a.hooks.end(0, "");
  EXPECT_THAT(a.hooks.decide(nullptr, a.clock.now()).fail,
              ElementsAre(Pair(1, "hook 2 in container side of pod shop/db-0 was not run: the pod was deleted")));
  Json evicted = pod(Json::array(), "Failed");
  evicted["status"]["reason"] = "Evicted";
  EXPECT_THAT(a.decide(evicted).fail, ElementsAre(Pair(1, HasSubstr("has ended with the phase Failed (Evicted)"))));
  EXPECT_THAT(a.decide(pod(Json::array(), "Succeeded")).fail, ElementsAre(Pair(1, HasSubstr("Succeeded"))));
}

TEST(PodHooks, FailWhenTheContainerHasEndedForGood) {
  Case a({hook("1", "main")});
  Json ended = pod(Json::array({status("main", {{"terminated", {{"exitCode", 0}}}})}));
  EXPECT_THAT(a.decide(ended).fail, IsEmpty());  // it is started again
  ended["spec"]["restartPolicy"] = "OnFailure";
  EXPECT_THAT(a.decide(ended).fail,
              ElementsAre(Pair(0, HasSubstr("the container has ended with exit code 0 and is not started again"))));
  ended["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"] = 1;
  EXPECT_THAT(a.decide(ended).fail, IsEmpty());
  ended["spec"]["restartPolicy"] = "Never";
  EXPECT_THAT(a.decide(ended).fail, ElementsAre(Pair(0, HasSubstr("exit code 1"))));
}

TEST(PodHooks, AFailureThatIsFatalFailsTheRest) {
  Case a({fatal(hook("1", "main")), hook("2", "side")});
  a.hooks.end(0, "boom");
  EXPECT_THAT(a.decide(pod(Json::array({status("side", kRunning)}))).fail,
              ElementsAre(Pair(1, HasSubstr("hook 1 in container main has failed, and says onError: Fail"))));
}

TEST(PodHooks, TakeFromTheRecordsWhatIsOver) {
  Case a({hook("1", "main"), hook("2", "main"), hook("3", "main")}, {{"shop/db-0/main/1-of-3", {.is_over = true}},
                                                                     {"shop/db-0/main/2-of-3", {.is_over = false}},
                                                                     {"shop/db-00/main/3-of-3", {.is_over = true}}});
  EXPECT_THAT(a.decide(pod(Json::array({status("main", kRunning)}))).run, ElementsAre(1, 2));
  EXPECT_TRUE(a.hooks.all()[1].is_begun);
  EXPECT_FALSE(a.hooks.all()[2].is_begun);
}

TEST(PodHooks, OfAMissingPodAreWhatTheRecordsSayAndOneFailureUnlessAllWereOver) {
  const auto errors = [](const HookRecords& known) {
    std::vector<std::string> all;
    const PodHooks hooks = PodHooks::missing(kPod, "not found", known);
    for (const PodHook& hook : hooks.all()) all.push_back(hook.error);
    return all;
  };
  const std::string gone = "hooks of pod shop/db-0 were not run: not found";
  EXPECT_THAT(errors({}), ElementsAre(gone));
  EXPECT_THAT(errors({{"shop/db-0/main/1-of-2", {.is_over = true}}, {"shop/db-0/side/2-of-2", {.is_over = false}}}),
              ElementsAre("", gone));
  EXPECT_THAT(errors({{"shop/db-0/main/1-of-2", {.is_over = true}},
                      {"shop/db-0/side/2-of-2", {.is_over = true, .error = "e"}}}),
              ElementsAre("", "e"));
}

}  // namespace
}  // namespace landfall::hooks
