#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "json/access.h"
#include "json/parse.h"
#include "k8s/object_view.h"
#include "restore_suite/props.h"
#include "restore_suite/rehearsal.h"
#include "restore_suite/test_cluster.h"

// What is changed about items on their way, and what they bring with them: actions, modifiers, hooks, additional items.
namespace landfall::restore_suite {
namespace {

using extension::RestoreActionInput;
using extension::RestoreActionResult;
using json::Json;
using ::testing::HasSubstr;

const Json kNone = Json::object();

class ItemChanges : public ::testing::Test {
 protected:
  Outcome restore(const std::vector<Json>& objects, const Script& script = {}) {
    return restore_all(cluster_.client(), archive_of(items_of(objects)), script);
  }
  Outcome restore_well(const std::vector<Json>& objects, const Script& script = {}) {
    Outcome outcome = restore(objects, script);
    EXPECT_EQ(outcome.results.at("errors"), kNone);
    EXPECT_EQ(outcome.results.at("warnings"), kNone);
    return outcome;
  }
  // With an action for ConfigMaps.
  static Script with_action(ScriptedAction::Execute execute, ScriptedAction::Ready ready = {}) {
    Script script;
    script.more_actions = [execute = std::move(execute), ready = std::move(ready)] {
      std::vector<std::unique_ptr<extension::RestoreItemAction>> actions;
      actions.push_back(std::make_unique<ScriptedAction>(std::vector<std::string>{"configmaps"}, execute, ready));
      return actions;
    };
    return script;
  }
  Json get(const std::string& resource, const std::string& name_space, const std::string& name) {
    return cluster_.get(resource, name_space, name);
  }

  TestCluster cluster_;
};

std::string name_of(const RestoreActionInput& input) { return std::string(k8s::ObjectView(input.item).name()); }

TEST_F(ItemChanges, JobsAndBindingsAndPodsFitTheirNewCluster) {
  Json job = object_of("batch/v1", "Job", "shop", "job");
  job["spec"] = {
      {"selector", {{"matchLabels", {{"batch.kubernetes.io/controller-uid", "u"}}}}},
      {"template",
       {{"metadata", {{"labels", {{"controller-uid", "u"}, {"batch.kubernetes.io/controller-uid", "u"}}}}},
        {"spec", {{"restartPolicy", "Never"}, {"containers", Json::array({{{"name", "c"}, {"image", "i"}}})}}}}}};
  Json binding = object_of("rbac.authorization.k8s.io/v1", "RoleBinding", "shop", "clerks");
  binding["roleRef"] = {{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "Role"}, {"name", "clerk"}};
  binding["subjects"] = Json::array({{{"kind", "ServiceAccount"}, {"name", "clerk"}, {"namespace", "shop"}}});
  Json placed = pod("shop", "web");
  placed["spec"]["nodeName"] = "gone";
  restore_well({job, binding, placed}, {.restore_spec = {{"namespaceMapping", {{"shop", "copy"}}}}});

  EXPECT_EQ(get("rolebindings.rbac.authorization.k8s.io", "copy", "clerks").at("subjects")[0].at("namespace"), "copy");
  EXPECT_FALSE(json::has(get("pods", "copy", "web"), {"spec", "nodeName"}));
  const Json made = get("jobs.batch", "copy", "job");
  EXPECT_NE(json::string_or(made, {"spec", "selector", "matchLabels", "batch.kubernetes.io/controller-uid"}, ""), "u");
}

TEST_F(ItemChanges, TokensOfServiceAccountsAreNotCarriedOver) {
  Json token = with_annotation(object_of("v1", "Secret", "shop", "clerk-token-abcde"),
                               "kubernetes.io/service-account.name", "clerk");
  token["type"] = "kubernetes.io/service-account-token";
  token["data"] = {{"token", "c2VjcmV0"}, {"ca.crt", "Y2E="}, {"extra", "eA=="}};
  restore_well({token, object_of("v1", "ServiceAccount", "shop", "clerk")});
  // The account is made first, so that its token is the cluster's own business.
  EXPECT_FALSE(cluster_.find("secrets", "shop", "clerk-token-abcde"));
}

TEST_F(ItemChanges, ConfigMapsOfTheServerChangeImagesAndStorageClasses) {
  cluster_.make_namespace("velero");
  cluster_.make({{"apiVersion", "storage.k8s.io/v1"},
                 {"kind", "StorageClass"},
                 {"metadata", {{"name", "fast"}}},
                 {"provisioner", "example.com/fast"}});
  Json images = with_label(object_of("v1", "ConfigMap", "velero", "images"), "velero.io/plugin-config", "");
  images["metadata"]["labels"]["velero.io/change-image-name"] = "RestoreItemAction";
  images["data"] = {{"case1", "shop/web,mirror/web"}};
  cluster_.make(images);
  Json classes = with_label(object_of("v1", "ConfigMap", "velero", "classes"), "velero.io/plugin-config", "");
  classes["metadata"]["labels"]["velero.io/change-storage-class"] = "RestoreItemAction";
  classes["data"] = {{"slow", "fast"}};
  cluster_.make(classes);
  restore_well({pod("shop", "web"), claim("shop", "data", "disk"), volume("disk", "shop", "data")});
  EXPECT_EQ(get("pods", "shop", "web").at("spec").at("containers")[0].at("image"), "mirror/web:1");
  EXPECT_EQ(get("persistentvolumeclaims", "shop", "data").at("spec").at("storageClassName"), "fast");
}

TEST_F(ItemChanges, ModifiersOfAllThreeKindsAreApplied) {
  const Script script{.restore_spec = {{"namespaceMapping", {{"shop", "copy"}}}}, .modifiers = R"(version: v1
resourceModifierRules:
- conditions: {groupResource: configmaps, namespaces: [shop], resourceNameRegex: "^json$"}
  patches:
  - {operation: replace, path: /data/key, value: json}
- conditions: {groupResource: configmaps, resourceNameRegex: "^merge$"}
  mergePatches:
  - patchData: |
      data: {key: merge}
- conditions: {groupResource: pods}
  strategicPatches:
  - patchData: |
      {"spec":{"containers":[{"name":"main","image":"strategic"}]}}
)"};
  restore_well(
      {config_map("shop", "json"), config_map("shop", "merge"), config_map("shop", "left"), pod("shop", "web")},
      script);
  EXPECT_EQ(get("configmaps", "copy", "json").at("data").at("key"), "json");
  EXPECT_EQ(get("configmaps", "copy", "merge").at("data").at("key"), "merge");
  EXPECT_EQ(get("configmaps", "copy", "left").at("data").at("key"), "x");
  EXPECT_EQ(get("pods", "copy", "web").at("spec").at("containers")[0].at("image"), "strategic");
}

TEST_F(ItemChanges, AModifierThatDoesNotFitIsAnErrorAndTheItemIsRestored) {
  const Script script{.modifiers = R"(version: v1
resourceModifierRules:
- conditions: {groupResource: configmaps}
  patches:
  - {operation: remove, path: /data/missing}
)"};
  const Outcome outcome = restore({config_map("shop", "a")}, script);
  EXPECT_THAT(json::dump(outcome.results.at("errors")), HasSubstr("resource modifier"));
  EXPECT_TRUE(cluster_.find("configmaps", "shop", "a"));
  EXPECT_EQ(outcome.last.items.outcomes.created, 2);
}

TEST_F(ItemChanges, InitHooksGetIntoPods) {
  const Json init = {{"name", "prepare"}, {"image", "busybox"}, {"command", Json::array({"true"})}};
  const Json hook = {{"name", "h"},
                     {"includedNamespaces", Json::array({"shop"})},
                     {"postHooks", Json::array({{{"init", {{"initContainers", Json::array({init})}}}}})}};
  restore_well({pod("shop", "web"), pod("annex", "web")},
               {.restore_spec = {{"hooks", {{"resources", Json::array({hook})}}}}});
  EXPECT_EQ(get("pods", "shop", "web").at("spec").at("initContainers")[0].at("name"), "prepare");
  EXPECT_FALSE(json::has(get("pods", "annex", "web"), {"spec", "initContainers"}));
}

TEST_F(ItemChanges, AdditionalItemsComeFirstWhateverTheLabelsAndAreCounted) {
  Script script;
  script.restore_spec["labelSelector"]["matchLabels"] = {{"take", "yes"}};
  const Outcome outcome =
      restore_well({with_label(pod("shop", "web", {"data"}), "take", "yes"), claim("shop", "data", "disk"),
                    volume("disk", "shop", "data"), config_map("shop", "left")},
                   script);
  const auto versions = cluster_.versions();
  EXPECT_LT(std::stoll(versions.at("persistentvolumes//disk")),
            std::stoll(versions.at("persistentvolumeclaims/shop/data")));
  EXPECT_LT(std::stoll(versions.at("persistentvolumeclaims/shop/data")), std::stoll(versions.at("pods/shop/web")));
  EXPECT_EQ(outcome.last.items.total, 4) << "with the namespace";
  EXPECT_EQ(outcome.last.items.not_selected_by_reason, (std::map<std::string, std::int64_t>{{"LabelsDoNotMatch", 1}}));
}

TEST_F(ItemChanges, AnAdditionalItemOfAnExcludedKindNeedsTheNoteThatItMustCome) {
  const auto execute = [](bool must) {
    return [must](const RestoreActionInput& input) -> Result<RestoreActionResult> {
      RestoreActionResult result;
      result.additional = {{{"", "secrets"}, "shop", "asked-for"}};
      result.changed = std::make_unique<Json>(input.item);
      if (must) {
        (*result.changed)["metadata"]["annotations"]["restore.velero.io/must-include-additional-items"] = "true";
      }
      return result;
    };
  };
  const std::vector<Json> objects = {config_map("shop", "a"), object_of("v1", "Secret", "shop", "asked-for")};
  Script without = with_action(execute(false));
  without.restore_spec["excludedResources"] = Json::array({"secrets"});
  restore_well(objects, without);
  EXPECT_FALSE(cluster_.find("secrets", "shop", "asked-for"));

  cluster_.remove("configmaps", "shop", "a");
  Script with = with_action(execute(true));
  with.restore_spec = without.restore_spec;
  restore_well(objects, with);
  EXPECT_TRUE(cluster_.find("secrets", "shop", "asked-for"));
  // The note is for us alone.
  EXPECT_FALSE(json::has(get("configmaps", "shop", "a"), {"metadata", "annotations"}));
}

TEST_F(ItemChanges, AnItemWaitsUntilItsAdditionalItemsAreReady) {
  std::atomic<int> asked = 0;
  const auto execute = [](const RestoreActionInput&) -> Result<RestoreActionResult> {
    RestoreActionResult result;
    result.additional = {{{"", "secrets"}, "shop", "s"}, {{"", "secrets"}, "shop", "missing"}};
    result.waits_for_additional = true;
    return result;
  };
  const auto ready = [&](const std::vector<k8s::ObjectRef>& refs) -> Result<bool> {
    EXPECT_EQ(refs.size(), 1U) << "only what is there";
    return ++asked >= 2;
  };
  const Outcome outcome =
      restore({config_map("shop", "a"), object_of("v1", "Secret", "shop", "s")}, with_action(execute, ready));
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(outcome.results.at("errors"), kNone);
  EXPECT_THAT(json::dump(outcome.results.at("warnings")), HasSubstr("secrets shop/missing"));
  EXPECT_TRUE(cluster_.find("configmaps", "shop", "a"));
}

TEST_F(ItemChanges, AnItemWhoseAdditionalItemsAreNeverReadyIsRestoredWithAnError) {
  const auto execute = [](const RestoreActionInput&) -> Result<RestoreActionResult> {
    RestoreActionResult result;
    result.additional = {{{"", "secrets"}, "shop", "s"}};
    result.waits_for_additional = true;
    result.additional_timeout = std::chrono::milliseconds(1);
    return result;
  };
  const Outcome outcome = restore({config_map("shop", "a"), object_of("v1", "Secret", "shop", "s")},
                                  with_action(execute, [](const auto&) -> Result<bool> { return false; }));
  EXPECT_THAT(json::dump(outcome.results.at("errors")), HasSubstr("not ready in time"));
}

TEST_F(ItemChanges, ActionsSkipFailAndBeginOperations) {
  const auto execute = [](const RestoreActionInput& input) -> Result<RestoreActionResult> {
    RestoreActionResult result;
    if (name_of(input) == "fails") return fail(Code::kInvalid, "not this one");
    result.skip = name_of(input) == "skips";
    if (name_of(input) == "moves") result.operation_id = "op-1";
    return result;
  };
  const Outcome outcome = restore(
      {config_map("shop", "fails"), config_map("shop", "skips"), config_map("shop", "moves")}, with_action(execute));
  EXPECT_EQ(outcome.resource_list.at("v1/ConfigMap"),
            Json::array({"shop/fails(failed)", "shop/moves(created)", "shop/skips(skipped)"}));
  EXPECT_THAT(json::dump(outcome.results.at("errors")), HasSubstr("example.com/scripted: not this one"));
  EXPECT_FALSE(cluster_.find("configmaps", "shop", "skips"));
  EXPECT_EQ(std::ranges::count_if(outcome.journal,
                                  [](const std::string& line) { return line.starts_with(R"(["operation")"); }),
            1);
}

TEST_F(ItemChanges, ARenamedItemIsListedByItsNewName) {
  const auto execute = [](const RestoreActionInput& input) -> Result<RestoreActionResult> {
    RestoreActionResult result;
    result.changed = std::make_unique<Json>(input.item);
    (*result.changed)["metadata"]["name"] = "new-" + name_of(input);
    return result;
  };
  const Outcome outcome = restore_well({config_map("shop", "a")}, with_action(execute));
  EXPECT_TRUE(cluster_.find("configmaps", "shop", "new-a"));
  EXPECT_EQ(outcome.resource_list.at("v1/ConfigMap"), Json::array({"shop/new-a(created)"}));
}

TEST_F(ItemChanges, TheVersionThatBothSidesHaveIsChosenWhereThatIsOn) {
  const auto form = [](const std::string& version) {
    Json object = object_of("autoscaling/" + version, "HorizontalPodAutoscaler", "shop", "web");
    object["spec"] = {{"maxReplicas", 3},
                      {"scaleTargetRef", {{"apiVersion", "apps/v1"}, {"kind", "Deployment"}, {"name", "web"}}}};
    return object;
  };
  // The source cluster preferred one that this cluster does not serve.
  const auto archive =
      archive_of_versions("horizontalpodautoscalers.autoscaling", {form("v9"), form("v2"), form("v8")});
  Script script{.backup = {{"metadata", {{"name", "backup"}}}, {"status", {{"formatVersion", "1.1.0"}}}}};
  const Outcome without = restore_all(cluster_.client(), archive, script);
  EXPECT_EQ(without.last.items.outcomes.failed, 1);

  script.with_tools = [](restore::RestoreTools& tools) { tools.options.chooses_versions = true; };
  const Outcome with = restore_all(cluster_.client(), archive, script);
  EXPECT_EQ(with.results.at("errors"), kNone);
  EXPECT_EQ(with.plan->resources.at(0).from_version, "v2");
  EXPECT_EQ(with.resource_list, Json({{"autoscaling/v2/HorizontalPodAutoscaler", Json::array({"shop/web(created)"})}}));
}

}  // namespace
}  // namespace landfall::restore_suite
