#include "hooks/restore_hooks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hooks/init_hook_action.h"
#include "json/json.h"
#include "k8s/label_selector.h"
#include "selection/test_discovery.h"

namespace landfall::hooks {
namespace {

using json::Json;
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
            {"initContainers", {{{"name", "setup"}}, {{"name", "proxy"}, {"restartPolicy", "Always"}}}}}}};
}

RestoreHooks hooks(std::vector<api::RestoreHooks> spec) {
  return RestoreHooks::make(std::move(spec), selection::test_discovery()).value();
}

std::vector<PlannedRestoreHook> plan(const RestoreHooks& hooks, const Json& pod) {
  std::vector<std::string> warnings;
  auto planned = hooks.exec_hooks(pod, warnings);
  EXPECT_THAT(warnings, IsEmpty());
  return planned;
}

std::vector<std::string> names(const std::vector<PlannedRestoreHook>& planned) {
  std::vector<std::string> all;
  for (const auto& one : planned)
    all.push_back(one.hook.name + " " + one.hook.command.at(0) + " in " + one.hook.container);
  return all;
}

TEST(RestoreHooks, ReadAnExecHookFromAnnotations) {
  const auto planned = plan({}, pod({{"post.hook.restore.velero.io/command", R"(["load", "/data"])"},
                                     {"post.hook.restore.velero.io/container", "side"},
                                     {"post.hook.restore.velero.io/on-error", "Fail"},
                                     {"post.hook.restore.velero.io/exec-timeout", "2m"},
                                     {"post.hook.restore.velero.io/wait-timeout", "5m"},
                                     {"post.hook.restore.velero.io/wait-for-ready", "True"}}));
  ASSERT_EQ(planned.size(), 1U);
  EXPECT_EQ(planned[0].hook.source, HookSource::kAnnotation);
  EXPECT_EQ(planned[0].hook.name, "<from-annotation>");
  EXPECT_EQ(planned[0].hook.container, "side");
  EXPECT_THAT(planned[0].hook.command, ElementsAre("load", "/data"));
  EXPECT_TRUE(planned[0].hook.is_fatal());
  EXPECT_EQ(planned[0].hook.timeout, minutes(2));
  EXPECT_EQ(planned[0].wait_timeout, minutes(5));
  EXPECT_TRUE(planned[0].waits_for_ready);
  EXPECT_EQ(planned[0].hook.warning, "");
}

TEST(RestoreHooks, PassOverAnnotationsThatMakeNoSense) {
  const auto planned = plan({}, pod({{"post.hook.restore.velero.io/command", "load"},
                                     {"post.hook.restore.velero.io/exec-timeout", "long"},
                                     {"post.hook.restore.velero.io/wait-timeout", "-1s"},
                                     {"post.hook.restore.velero.io/wait-for-ready", "yes"}}));
  ASSERT_EQ(planned.size(), 1U);
  EXPECT_EQ(planned[0].hook.container, "main");
  EXPECT_EQ(planned[0].hook.timeout, seconds(30));
  EXPECT_EQ(planned[0].wait_timeout, std::nullopt);
  EXPECT_FALSE(planned[0].waits_for_ready);
  EXPECT_THAT(planned[0].hook.warning, HasSubstr(R"(exec-timeout: passed over "long")"));
  EXPECT_THAT(planned[0].hook.warning, HasSubstr(R"(wait-for-ready: passed over "yes")"));
}

TEST(RestoreHooks, OfTheSpecAreChosenByNamespaceAndLabelsButNotByResource) {
  const auto exec = [](api::HookFilter filter) {
    return api::RestoreHooks{.filter = std::move(filter),
                             .exec = {{.command = {"a"}, .wait_timeout = seconds(7), .wait_for_ready = true},
                                      {.command = {"b"}, .container = "proxy"}}};
  };
  const RestoreHooks spec = hooks({exec({.name = "here", .included_namespaces = {"sh*"}}),
                                   exec({.name = "elsewhere", .included_namespaces = {"bank"}}),
                                   exec({.name = "kinds", .included_resources = {"deployments"}}),
                                   exec({.name = "labels", .selector = k8s::LabelSelector::parse("app=web").value()})});
  const auto planned = plan(spec, pod());
  EXPECT_THAT(names(planned), ElementsAre("here a in main", "here b in proxy", "kinds a in main", "kinds b in proxy"));
  EXPECT_EQ(planned[0].wait_timeout, seconds(7));
  EXPECT_TRUE(planned[0].waits_for_ready);
  EXPECT_EQ(planned[1].wait_timeout, std::nullopt);
  EXPECT_THAT(names(plan(spec, pod({{"post.hook.restore.velero.io/command", "mine"}}))),
              ElementsAre("<from-annotation> mine in main"));
}

TEST(RestoreHooks, LeaveOutHooksForContainersThatThePodDoesNotHave) {
  const RestoreHooks spec = hooks({{.filter = {.name = "h"},
                                    .exec = {{.command = {"a"}, .container = "other"},
                                             {.command = {"b"}, .container = "side"},
                                             {.command = {"c"}, .container = "setup"}}}});
  std::vector<std::string> warnings;
  EXPECT_THAT(names(spec.exec_hooks(pod(), warnings)), ElementsAre("h b in side"));
  EXPECT_THAT(warnings, ElementsAre(HasSubstr(R"("h" is left out: no such container: "other")"),
                                    HasSubstr("does not keep running")));
}

TEST(RestoreHooks, MakeAnInitContainerFromAnnotations) {
  Json annotations = {{"init.hook.restore.velero.io/container-image", "busybox"},
                      {"init.hook.restore.velero.io/container-name", "fill"},
                      {"init.hook.restore.velero.io/command", R"(["sh", "-c", "x"])"}};
  const Json inits[] = {{{"name", "spec"}, {"image", "x"}, {"command", {"y"}}}};
  const RestoreHooks spec = hooks({{.init_containers = {&inits[0]}}});
  EXPECT_THAT(spec.init_containers(pod(annotations)),
              ElementsAre(Json({{"name", "fill"}, {"image", "busybox"}, {"command", {"sh", "-c", "x"}}})));
  annotations.erase("init.hook.restore.velero.io/container-image");
  EXPECT_THAT(spec.init_containers(pod(annotations)), ElementsAre(inits[0]));
}

TEST(RestoreHooks, GenerateTheSameNameForTheSamePod) {
  const Json annotations = {{"init.hook.restore.velero.io/container-image", "busybox"}};
  const auto first = RestoreHooks().init_containers(pod(annotations));
  ASSERT_EQ(first.size(), 1U);
  EXPECT_THAT(first[0]["name"].get<std::string>(), testing::MatchesRegex("velero-restore-init-[0-9a-f]{8}"));
  EXPECT_FALSE(first[0].contains("command"));
  EXPECT_EQ(RestoreHooks().init_containers(pod(annotations)), first);
  Json other = pod(annotations);
  other["metadata"]["name"] = "db-1";
  EXPECT_NE(RestoreHooks().init_containers(other), first);
}

TEST(RestoreHooks, RefuseWhatIsWrongAndNameItsPlace) {
  const auto error_of = [](std::vector<api::RestoreHooks> spec) {
    return RestoreHooks::make(std::move(spec), selection::test_discovery()).error().message();
  };
  EXPECT_THAT(error_of({{}, {.filter = {.included_namespaces = {"[a"}}}}),
              HasSubstr("spec.hooks.resources[1]: namespaces: "));
  const Json no_image = {{"name", "x"}, {"command", {"y"}}};
  EXPECT_THAT(error_of({{.init_containers = {&no_image}}}),
              HasSubstr("spec.hooks.resources[0]: an init container: image: missing"));
  const Json no_command = {{"name", "x"}, {"image", "y"}, {"command", Json::array()}};
  EXPECT_THAT(error_of({{.init_containers = {&no_command}}}), HasSubstr("command: missing"));
}

std::vector<std::string> inits_after(const RestoreHooks& hooks, const json::StringMap& mapping, const Json& item) {
  const auto action = make_init_hook_action(hooks, mapping);
  const Json restore = Json::object();
  const auto result = action->execute({.item = item, .from_backup = item, .restore = restore}, {});
  EXPECT_TRUE(result);
  if (!result || !result->changed) return {};
  std::vector<std::string> names;
  for (const Json& container : (*result->changed)["spec"]["initContainers"]) names.push_back(container["name"]);
  return names;
}

TEST(InitHookAction, PutsHooksBeforeThePodsOwnButAfterALeadingRestoreWait) {
  const Json init = {{"name", "fill"}, {"image", "x"}, {"command", {"y"}}};
  const RestoreHooks spec = hooks({{.init_containers = {&init}}});
  Json item = pod();
  EXPECT_THAT(inits_after(spec, {}, item), ElementsAre("fill", "setup", "proxy"));
  item["spec"]["initContainers"] = {{{"name", "restore-wait"}}, {{"name", "setup"}}};
  EXPECT_THAT(inits_after(spec, {}, item), ElementsAre("restore-wait", "fill", "setup"));
  item["spec"]["initContainers"] = {{{"name", "setup"}}, {{"name", "restore-wait"}}};
  EXPECT_THAT(inits_after(spec, {}, item), ElementsAre("fill", "setup", "restore-wait"));
  item["spec"].erase("initContainers");
  EXPECT_THAT(inits_after(spec, {}, item), ElementsAre("fill"));
}

TEST(InitHookAction, ReplacesWhatAnEarlierRestoreHasPutIn) {
  const Json init = {{"name", "fill"}, {"image", "new"}, {"command", {"y"}}};
  Json item = pod();
  item["spec"]["initContainers"] = {{{"name", "setup"}}, {{"name", "fill"}, {"image", "old"}}};
  EXPECT_THAT(inits_after(hooks({{.init_containers = {&init}}}), {}, item), ElementsAre("fill", "setup"));
}

TEST(InitHookAction, ChoosesByTheNamespaceInTheCluster) {
  const Json init = {{"name", "fill"}, {"image", "x"}, {"command", {"y"}}};
  const RestoreHooks spec = hooks({{.filter = {.included_namespaces = {"shop-copy"}}, .init_containers = {&init}}});
  EXPECT_THAT(inits_after(spec, {}, pod()), IsEmpty());
  EXPECT_THAT(inits_after(spec, {{"shop", "shop-copy"}}, pod()), ElementsAre("fill", "setup", "proxy"));
}

TEST(InitHookAction, FailsThePodWhoseListIsNone) {
  Json item = pod({{"init.hook.restore.velero.io/container-image", "busybox"}});
  item["spec"]["initContainers"] = "x";
  const auto result = make_init_hook_action({}, {})->execute({.item = item, .from_backup = item, .restore = item}, {});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message(), HasSubstr("spec.initContainers"));
}

}  // namespace
}  // namespace landfall::hooks
