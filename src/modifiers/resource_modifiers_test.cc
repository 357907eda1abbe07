#include "modifiers/resource_modifiers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/json.h"
#include "json/yaml.h"

namespace landfall::modifiers {
namespace {

using json::Json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const k8s::GroupResource kPods{"", "pods"};
const k8s::GroupResource kDeployments{"apps", "deployments"};

Json yaml(std::string_view text) { return json::parse_yaml(text).value(); }

Json deployment() {
  return yaml(R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: web-1, namespace: shop, labels: {app: web}}
spec:
  replicas: 3
  template: {spec: {containers: [{name: nginx, image: nginx:1.26}, {name: log, image: log:1}]}}
)");
}

ResourceModifiers rules(const std::string& text) {
  auto made = ResourceModifiers::parse("version: v1\nresourceModifierRules:\n" + text);
  EXPECT_TRUE(made) << made.error().message();
  return *made;
}

std::string error_of(const std::string& text) {
  const auto made = ResourceModifiers::parse(text);
  EXPECT_FALSE(made);
  return made ? "" : made.error().message();
}

std::string rule_error(const std::string& rule) { return error_of("version: v1\nresourceModifierRules:\n" + rule); }

// Whether a rule with these conditions is for deployment().
bool is_for(const std::string& conditions) {
  Json object = deployment();
  const auto failures =
      rules("- conditions: " + conditions + "\n  patches: [{operation: add, path: /metadata/labels/hit, value: x}]\n")
          .apply(kDeployments, object);
  EXPECT_THAT(failures, IsEmpty());
  return object != deployment();
}

TEST(ResourceModifiers, ChooseObjectsByAllConditionsTogether) {
  EXPECT_TRUE(is_for("{groupResource: deployments.apps}"));
  EXPECT_TRUE(is_for("{groupResource: 'deploy*.*'}"));
  EXPECT_FALSE(is_for("{groupResource: deployments}"));
  EXPECT_FALSE(is_for("{groupResource: '*'}"));
  EXPECT_TRUE(is_for("{groupResource: '**', resourceNameRegex: '^web-\\d$'}"));
  EXPECT_FALSE(is_for("{groupResource: '**', resourceNameRegex: '^eb'}"));
  EXPECT_TRUE(is_for("{groupResource: '**', namespaces: [bank, 'sh*']}"));
  EXPECT_FALSE(is_for("{groupResource: '**', namespaces: [bank]}"));
  EXPECT_TRUE(is_for("{groupResource: '**', labelSelector: {matchLabels: {app: web}}}"));
  EXPECT_TRUE(
      is_for("{groupResource: '**', labelSelector: {matchExpressions: [{key: app, operator: In, values: [web]}]}}"));
  EXPECT_FALSE(is_for("{groupResource: '**', labelSelector: {matchLabels: {app: 1}}}"));
}

TEST(ResourceModifiers, TestTheObjectForMatches) {
  EXPECT_TRUE(is_for("{groupResource: '**', matches: [{path: /spec/replicas, value: '3'}]}"));
  EXPECT_TRUE(is_for("{groupResource: '**', matches: [{path: /spec/replicas, value: 3}]}"));
  EXPECT_FALSE(is_for("{groupResource: '**', matches: [{path: /spec/replicas, value: '\"3\"'}]}"));
  EXPECT_FALSE(is_for("{groupResource: '**', matches: [{path: /spec/none, value: '3'}]}"));
  EXPECT_FALSE(
      is_for("{groupResource: '**', matches: [{path: /spec/replicas, value: '3'}, "
             "{path: /metadata/name, value: db}]}"));
}

TEST(ResourceModifiers, NamespacesDoNotMatterToObjectsWithoutOne) {
  Json volume = {{"kind", "PersistentVolume"}, {"metadata", {{"name", "pv-1"}}}};
  rules(
      "- conditions: {groupResource: persistentvolumes, namespaces: [bank]}\n"
      "  patches: [{operation: add, path: /spec, value: '{}'}]\n")
      .apply({"", "persistentvolumes"}, volume);
  EXPECT_TRUE(volume.contains("spec"));
}

TEST(ResourceModifiers, KnowWhichKindsTheyAreFor) {
  const auto modifiers = rules("- {conditions: {groupResource: '*.apps'}, mergePatches: [{patchData: '{}'}]}\n");
  EXPECT_TRUE(modifiers.sees(kDeployments));
  EXPECT_FALSE(modifiers.sees(kPods));
}

TEST(ResourceModifiers, ApplyJsonPatches) {
  Json object = deployment();
  EXPECT_THAT(rules(R"(
- conditions: {groupResource: deployments.apps}
  patches:
  - {operation: Replace, path: /spec/replicas, value: "1"}
  - {operation: add, path: /metadata/labels/tier, value: '"2"'}
  - {operation: add, path: /metadata/labels/half, value: 1.5}
  - {operation: copy, from: /metadata/labels/app, path: /metadata/labels/was}
  - {operation: remove, path: /spec/template/spec/containers/1}
)")
                  .apply(kDeployments, object),
              IsEmpty());
  EXPECT_EQ(object["spec"]["replicas"], 1);
  EXPECT_EQ(object["metadata"]["labels"], Json({{"app", "web"}, {"tier", "2"}, {"half", 1.5}, {"was", "web"}}));
  EXPECT_EQ(object["spec"]["template"]["spec"]["containers"].size(), 1U);
}

TEST(ResourceModifiers, AFailedTestLeavesTheObjectAsItWasWithoutAnError) {
  Json object = deployment();
  EXPECT_THAT(rules(R"(
- conditions: {groupResource: deployments.apps}
  patches:
  - {operation: replace, path: /spec/replicas, value: "1"}
  - {operation: test, path: /metadata/name, value: other}
)")
                  .apply(kDeployments, object),
              IsEmpty());
  EXPECT_EQ(object, deployment());
}

TEST(ResourceModifiers, ApplyMergePatchesInYamlAndJson) {
  Json object = deployment();
  EXPECT_THAT(rules(R"(
- conditions: {groupResource: deployments.apps}
  mergePatches:
  - patchData: |
      metadata: {labels: {app: null, new: "yes"}}
  - patchData: '{"spec": {"template": null}}'
)")
                  .apply(kDeployments, object),
              IsEmpty());
  EXPECT_EQ(object["metadata"]["labels"], Json({{"new", "yes"}}));
  EXPECT_EQ(object["spec"], Json({{"replicas", 3}}));
}

constexpr auto kStrategic = R"(
- conditions: {groupResource: '**'}
  strategicPatches:
  - patchData: |
      spec: {template: {spec: {containers: [{name: nginx, image: "nginx:1.27"}]}}}
)";

TEST(ResourceModifiers, ApplyStrategicPatchesToBuiltInKindsOnly) {
  Json object = deployment();
  EXPECT_THAT(rules(kStrategic).apply(kDeployments, object), IsEmpty());
  const Json& containers = object["spec"]["template"]["spec"]["containers"];
  ASSERT_EQ(containers.size(), 2U);
  EXPECT_EQ(containers[0]["image"], "nginx:1.27");

  Json custom = {{"apiVersion", "example.com/v1"}, {"kind", "Widget"}, {"metadata", {{"name", "w"}}}};
  EXPECT_THAT(rules(kStrategic).apply({"example.com", "widgets"}, custom),
              ElementsAre(HasSubstr("resourceModifierRules[0]: strategicPatches[0]: ")));
  EXPECT_FALSE(custom.contains("spec"));
}

TEST(ResourceModifiers, MatchTheObjectAsItWasBeforeTheFirstRule) {
  Json object = deployment();
  EXPECT_THAT(rules(R"(
- conditions: {groupResource: deployments.apps}
  patches: [{operation: replace, path: /spec/replicas, value: "5"}]
- conditions: {groupResource: deployments.apps, matches: [{path: /spec/replicas, value: "5"}]}
  patches: [{operation: replace, path: /spec/replicas, value: "7"}]
- conditions: {groupResource: deployments.apps, matches: [{path: /spec/replicas, value: "3"}]}
  patches: [{operation: add, path: /spec/paused, value: "true"}]
)")
                  .apply(kDeployments, object),
              IsEmpty());
  EXPECT_EQ(object["spec"]["replicas"], 5);
  EXPECT_EQ(object["spec"]["paused"], true);
}

TEST(ResourceModifiers, GoOnAfterARuleThatFailed) {
  Json object = deployment();
  const auto failures = rules(R"(
- conditions: {groupResource: deployments.apps}
  patches:
  - {operation: replace, path: /spec/replicas, value: "5"}
  - {operation: remove, path: /spec/none}
- conditions: {groupResource: deployments.apps}
  patches: [{operation: remove, path: /kind}]
- conditions: {groupResource: deployments.apps}
  patches: [{operation: add, path: /spec/paused, value: "true"}]
)")
                            .apply(kDeployments, object);
  EXPECT_THAT(failures, ElementsAre(HasSubstr("resourceModifierRules[0]: patches: operation 1 (remove /spec/none)"),
                                    HasSubstr("resourceModifierRules[1]: ")));
  EXPECT_EQ(object["spec"]["replicas"], 3);
  EXPECT_EQ(object["spec"]["paused"], true);
  EXPECT_EQ(object["kind"], "Deployment");
}

TEST(ResourceModifiers, AreReadFromTheOnlyKeyOfAConfigMap) {
  Json map = yaml(R"(
metadata: {name: rules, namespace: velero}
data:
  any.yaml: "version: V1\nresourceModifierRules: [{conditions: {groupResource: pods}, mergePatches: [{patchData: '{}'}]}]"
)");
  const auto modifiers = ResourceModifiers::from_config_map(map);
  ASSERT_TRUE(modifiers) << modifiers.error().message();
  EXPECT_TRUE(modifiers->sees(kPods));
  map["data"]["any.yaml"] = "version: v2";
  EXPECT_THAT(ResourceModifiers::from_config_map(map).error().message(),
              HasSubstr("ConfigMap velero/rules: any.yaml: version: "));
  map["data"]["second"] = "";
  EXPECT_THAT(ResourceModifiers::from_config_map(map).error().message(), HasSubstr("found 2 keys"));
  map.erase("data");
  EXPECT_THAT(ResourceModifiers::from_config_map(map).error().message(), HasSubstr("found 0 keys"));
}

TEST(ResourceModifiers, AreRefusedWithThePlaceOfTheMistake) {
  EXPECT_THAT(error_of(""), HasSubstr("empty"));
  EXPECT_THAT(error_of("resourceModifierRules: []"), HasSubstr("version: missing"));
  EXPECT_THAT(error_of("version: v1"), HasSubstr("resourceModifierRules: has no rule"));
  EXPECT_THAT(error_of("version: v1\nrules: []"), HasSubstr(R"(unknown field "rules")"));
  EXPECT_THAT(rule_error("- {patches: [{operation: remove, path: /a}]}"),
              HasSubstr("resourceModifierRules[0].conditions.groupResource: missing"));
  EXPECT_THAT(rule_error("- {conditions: {groupResource: pods, namespace: a}}"),
              HasSubstr(R"(resourceModifierRules[0].conditions: unknown field "namespace")"));
  EXPECT_THAT(rule_error("- {conditions: {groupResource: 'a[b'}}"),
              HasSubstr("resourceModifierRules[0].conditions.groupResource: pattern "));
  EXPECT_THAT(rule_error("- {conditions: {groupResource: pods, resourceNameRegex: '('}}"),
              HasSubstr("resourceModifierRules[0].conditions.resourceNameRegex: expression "));
  EXPECT_THAT(rule_error("- {conditions: {groupResource: pods, labelSelector: {matchLabel: {}}}}"),
              HasSubstr(R"(conditions.labelSelector: unknown field "matchLabel")"));
  EXPECT_THAT(rule_error("- {conditions: {groupResource: pods, matches: [{value: a}]}}"),
              HasSubstr("conditions.matches[0].path: missing"));
  EXPECT_THAT(rule_error("- {conditions: {groupResource: pods}}"), HasSubstr("resourceModifierRules[0]: has no patch"));
  EXPECT_THAT(rule_error("- {conditions: {groupResource: pods}, patches: [{operation: remove, path: /a}], "
                         "mergePatches: [{patchData: '{}'}]}"),
              HasSubstr("only one of"));
  EXPECT_THAT(rule_error("- {conditions: {groupResource: pods}, patches: [{operation: drop, path: /a}]}"),
              HasSubstr(R"(patches[0].operation: unknown: "drop"; known are add,)"));
  EXPECT_THAT(rule_error("- {conditions: {groupResource: pods}, patches: [{operation: remove, path: spec}]}"),
              HasSubstr("patches[0].path: a path starts with /"));
  EXPECT_THAT(rule_error("- {conditions: {groupResource: pods}, patches: [{operation: move, path: /a}]}"),
              HasSubstr("patches[0].from: missing"));
  EXPECT_THAT(rule_error("- {conditions: {groupResource: pods}, patches: [{operation: add, path: /a, value: '{'}]}"),
              HasSubstr("patches[0].value: it starts like JSON"));
  EXPECT_THAT(rule_error("- {conditions: {groupResource: pods}, mergePatches: [{patchData: '[1]'}]}"),
              HasSubstr("mergePatches[0].patchData: expected the YAML of an object"));
  EXPECT_THAT(rule_error("- {conditions: {groupResource: pods}, strategicPatches: [{patchData: 'a: [}'}]}"),
              HasSubstr("strategicPatches[0].patchData: line 1"));
}

TEST(ResourceModifiers, AreRefusedWhenTheirExpressionsWouldTakeTooMuchMemory) {
  std::string large;
  for (int i = 0; i < 10; ++i) large += "a{1000}";
  std::string text;
  for (int i = 0; i < 200; ++i) {
    text += "- {conditions: {groupResource: pods, resourceNameRegex: '" + large +
            "'}, mergePatches: [{patchData: '{}'}]}\n";
  }
  EXPECT_THAT(rule_error(text), HasSubstr("too large"));
}

}  // namespace
}  // namespace landfall::modifiers
