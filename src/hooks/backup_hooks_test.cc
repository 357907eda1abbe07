#include "hooks/backup_hooks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hooks/hook_command.h"
#include "json/json.h"
#include "k8s/label_selector.h"
#include "selection/test_discovery.h"

namespace landfall::hooks {
namespace {

using json::Json;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Json pod(const Json& annotations = Json::object()) {
  return {{"metadata",
           {{"name", "db-0"}, {"namespace", "shop"}, {"labels", {{"app", "db"}}}, {"annotations", annotations}}},
          {"spec",
           {{"containers", {{{"name", "main"}}, {{"name", "side"}}}},
            {"initContainers", {{{"name", "setup"}}, {{"name", "proxy"}, {"restartPolicy", "Always"}}}}}},
          {"status", {{"phase", "Running"}}}};
}

BackupHooks hooks(std::vector<api::BackupHooks> spec) {
  return BackupHooks::make(std::move(spec), selection::test_discovery()).value();
}

api::BackupHooks entry(api::HookFilter filter) {
  return {.filter = std::move(filter), .pre = {{.command = {"freeze"}}}, .post = {{.command = {"thaw"}}}};
}

std::vector<std::string> names(const BackupHooks& hooks, const Json& pod, HookPhase phase = HookPhase::kPre) {
  std::vector<std::string> all;
  for (const PlannedHook& hook : hooks.plan(pod, phase)) all.push_back(hook.name + " " + hook.command.at(0));
  return all;
}

TEST(HookCommand, IsAListOrOneWord) {
  EXPECT_THAT(parse_hook_command(R"(["/bin/sh", "-c", "echo \"hi\""])"), ElementsAre("/bin/sh", "-c", "echo \"hi\""));
  EXPECT_THAT(parse_hook_command("/bin/fsfreeze --freeze /data"), ElementsAre("/bin/fsfreeze --freeze /data"));
  EXPECT_THAT(parse_hook_command(R"(["a", null])"), ElementsAre("a", ""));
  EXPECT_THAT(parse_hook_command(R"(["a", 1])"), ElementsAre(R"(["a", 1])"));
  EXPECT_THAT(parse_hook_command("[ -f /x ]"), ElementsAre("[ -f /x ]"));
  EXPECT_THAT(parse_hook_command(R"( ["a"])"), ElementsAre(R"( ["a"])"));
  EXPECT_THAT(parse_hook_command("[]"), IsEmpty());
}

TEST(BackupHooks, ReadAnAnnotationInFull) {
  const Json db = pod({{"pre.hook.backup.velero.io/command", R"(["freeze", "/data"])"},
                       {"pre.hook.backup.velero.io/container", "side"},
                       {"pre.hook.backup.velero.io/on-error", "Fail"},
                       {"pre.hook.backup.velero.io/timeout", "2m"}});
  const auto planned = BackupHooks().plan(db, HookPhase::kPre);
  ASSERT_EQ(planned.size(), 1U);
  EXPECT_EQ(planned[0].source, HookSource::kAnnotation);
  EXPECT_EQ(planned[0].name, "<from-annotation>");
  EXPECT_EQ(planned[0].container, "side");
  EXPECT_THAT(planned[0].command, ElementsAre("freeze", "/data"));
  EXPECT_TRUE(planned[0].is_fatal());
  EXPECT_EQ(planned[0].timeout, minutes(2));
  EXPECT_TRUE(planned[0].runnable);
  EXPECT_THAT(BackupHooks().plan(db, HookPhase::kPost), IsEmpty());
}

TEST(BackupHooks, AnnotationsWinOverTheSpecPhaseByPhase) {
  const BackupHooks spec = hooks({entry({.name = "all"})});
  const Json db = pod({{"pre.hook.backup.velero.io/command", "mine"}, {"post.hook.backup.velero.io/command", ""}});
  EXPECT_THAT(names(spec, db, HookPhase::kPre), ElementsAre("<from-annotation> mine"));
  EXPECT_THAT(names(spec, db, HookPhase::kPost), ElementsAre("all thaw"));
}

TEST(BackupHooks, TheOldAnnotationIsForThePreHookWhenThereIsNoNewOne) {
  const BackupHooks none;
  Json annotations = {{"hook.backup.velero.io/command", "old"}, {"hook.backup.velero.io/timeout", "5s"}};
  EXPECT_EQ(none.plan(pod(annotations), HookPhase::kPre).at(0).timeout, seconds(5));
  EXPECT_THAT(none.plan(pod(annotations), HookPhase::kPost), IsEmpty());
  annotations["pre.hook.backup.velero.io/command"] = "new";
  EXPECT_THAT(names(none, pod(annotations)), ElementsAre("<from-annotation> new"));
  EXPECT_EQ(none.plan(pod(annotations), HookPhase::kPre).at(0).timeout, PlannedHook::kDefaultTimeout);
}

TEST(BackupHooks, PassOverAnOnErrorAndATimeoutThatMakeNoSense) {
  const auto planned = BackupHooks().plan(pod({{"post.hook.backup.velero.io/command", "x"},
                                               {"post.hook.backup.velero.io/on-error", "fail"},
                                               {"post.hook.backup.velero.io/timeout", "half an hour"}}),
                                          HookPhase::kPost);
  ASSERT_EQ(planned.size(), 1U);
  EXPECT_FALSE(planned[0].on_error);
  EXPECT_FALSE(planned[0].is_fatal());
  EXPECT_EQ(planned[0].timeout, seconds(30));
  EXPECT_THAT(planned[0].warning, HasSubstr(R"("half an hour", using default 30s)"));
}

TEST(BackupHooks, TimeoutsOfZeroAreTheDefaultAndNegativeOnesNone) {
  const auto timeout_of = [](const char* text) {
    return BackupHooks()
        .plan(pod({{"hook.backup.velero.io/command", "x"}, {"hook.backup.velero.io/timeout", text}}), HookPhase::kPre)
        .at(0)
        .timeout;
  };
  EXPECT_EQ(timeout_of("0s"), seconds(30));
  EXPECT_EQ(timeout_of("-1s"), hours(24));
  EXPECT_EQ(timeout_of("90s"), seconds(90));
}

TEST(BackupHooks, AnEmptyListAsCommandCannotBeRun) {
  const auto planned = BackupHooks().plan(pod({{"hook.backup.velero.io/command", "[]"}}), HookPhase::kPre);
  ASSERT_EQ(planned.size(), 1U);
  EXPECT_FALSE(planned[0].runnable);
}

TEST(BackupHooks, RunInContainersThatKeepRunning) {
  const auto plan_in = [](const std::string& container) {
    return hooks({{.filter = {.name = "h"}, .pre = {{.command = {"x"}, .container = container}}}})
        .plan(pod(), HookPhase::kPre)
        .at(0);
  };
  EXPECT_EQ(plan_in("").container, "main");
  EXPECT_EQ(plan_in("side").container, "side");
  EXPECT_TRUE(plan_in("side").runnable);
  EXPECT_EQ(plan_in("proxy").container, "proxy");
  EXPECT_TRUE(plan_in("proxy").runnable);
  EXPECT_THAT(plan_in("setup").runnable.error().message(), HasSubstr("does not keep running"));
  EXPECT_THAT(plan_in("other").runnable.error().message(), HasSubstr(R"(no such container: "other")"));

  const auto bare = hooks({entry({})}).plan({{"spec", {{"containers", Json::array()}}}}, HookPhase::kPre);
  EXPECT_THAT(bare.at(0).runnable.error().message(), HasSubstr("no container"));
}

TEST(BackupHooks, OfTheSpecAreChosenByNamespaceResourceAndLabelsInOrder) {
  const auto selector = k8s::LabelSelector::parse("app=db").value();
  const auto others = k8s::LabelSelector::parse("app=web").value();
  const BackupHooks spec = hooks(
      {entry({.name = "glob", .included_namespaces = {"sh*"}}),
       entry({.name = "elsewhere", .included_namespaces = {"bank"}}),
       entry({.name = "not-here", .excluded_namespaces = {"shop"}}),
       entry({.name = "short", .included_resources = {"po"}}), entry({.name = "claims", .included_resources = {"pvc"}}),
       entry({.name = "no-pods", .excluded_resources = {"Pod"}}), entry({.name = "labels", .selector = selector}),
       entry({.name = "other-labels", .selector = others})});
  EXPECT_THAT(names(spec, pod()), ElementsAre("glob freeze", "short freeze", "labels freeze"));
  EXPECT_THAT(names(spec, pod(), HookPhase::kPost), ElementsAre("glob thaw", "short thaw", "labels thaw"));
}

TEST(BackupHooks, KnowWithoutAPlanWhetherThereAreAny) {
  EXPECT_FALSE(BackupHooks().has_any(pod()));
  EXPECT_FALSE(BackupHooks().has_any(pod({{"pre.hook.backup.velero.io/timeout", "3s"}})));
  EXPECT_TRUE(BackupHooks().has_any(pod({{"post.hook.backup.velero.io/command", "x"}})));
  EXPECT_TRUE(BackupHooks().has_any(pod({{"hook.backup.velero.io/command", "x"}})));
  EXPECT_TRUE(hooks({entry({})}).has_any(pod()));
  EXPECT_FALSE(hooks({{.filter = {.name = "nothing to run"}}}).has_any(pod()));
  EXPECT_FALSE(hooks({entry({.included_resources = {"deployments"}})}).has_any(pod()));
}

TEST(BackupHooks, RefuseAPatternAndNameItsPlace) {
  const auto made = BackupHooks::make({entry({}), entry({.included_namespaces = {"[a"}})}, selection::test_discovery());
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code(), Code::kInvalid);
  EXPECT_THAT(made.error().message(), HasSubstr("spec.hooks.resources[1]: namespaces: "));
}

}  // namespace
}  // namespace landfall::hooks
