#include "json/strategic_merge.h"

#include <gtest/gtest.h>

#include "json/json.h"
#include "json/merge_schema.h"
#include "json/test_values.h"

namespace landfall::json {
namespace {

Json patched(const char* spec, const char* patch) {
  const Json pod = {{"apiVersion", "v1"}, {"kind", "Pod"}, {"spec", Json::parse(spec)}};
  auto result = apply_strategic_merge_patch(pod, {{"spec", Json::parse(patch)}});
  return result ? Json((*result)["spec"]) : Json(result.error().message());
}

TEST(StrategicMerge, MergesContainersByNameAndKeepsTheOthers) {
  EXPECT_EQ(patched(R"({"containers":[{"name":"a","image":"1"},{"name":"b","image":"1"}]})",
                    R"({"containers":[{"name":"b","image":"2"},{"name":"c","image":"3"}]})"),
            Json::parse(R"({"containers":[{"name":"a","image":"1"},{"name":"b","image":"2"},
                                          {"name":"c","image":"3"}]})"));
}

TEST(StrategicMerge, ReplacesListsWithoutARule) {
  EXPECT_EQ(patched(R"({"tolerations":[{"key":"a"},{"key":"b"}]})", R"({"tolerations":[{"key":"c"}]})"),
            Json::parse(R"({"tolerations":[{"key":"c"}]})"));
}

TEST(StrategicMerge, DeletesAnElementAndReplacesAList) {
  EXPECT_EQ(patched(R"({"volumes":[{"name":"a"},{"name":"b"}]})", R"({"volumes":[{"name":"a","$patch":"delete"}]})"),
            Json::parse(R"({"volumes":[{"name":"b"}]})"));
  EXPECT_EQ(patched(R"({"volumes":[{"name":"a"},{"name":"b"}]})", R"({"volumes":[{"$patch":"replace"},{"name":"c"}]})"),
            Json::parse(R"({"volumes":[{"name":"c"}]})"));
}

TEST(StrategicMerge, ReplacesOrEmptiesAnObject) {
  EXPECT_EQ(patched(R"({"affinity":{"a":1}})", R"({"affinity":{"$patch":"replace","b":2}})"),
            Json::parse(R"({"affinity":{"b":2}})"));
  EXPECT_EQ(patched(R"({"affinity":{"a":1}})", R"({"affinity":{"$patch":"delete"}})"),
            Json::parse(R"({"affinity":{}})"));
}

TEST(StrategicMerge, RetainsOnlyTheNamedKeys) {
  EXPECT_EQ(patched(R"({"volumes":[{"name":"a","emptyDir":{}}]})",
                    R"({"volumes":[{"name":"a","$retainKeys":["name","hostPath"],"hostPath":{"path":"/x"}}]})"),
            Json::parse(R"({"volumes":[{"name":"a","hostPath":{"path":"/x"}}]})"));
  EXPECT_EQ(patched(R"({"volumes":[{"name":"a"}]})", R"({"volumes":[{"name":"a","$retainKeys":["hostPath"]}]})"),
            "spec: volumes: $retainKeys: the patch sets name, which is not in the list");
}

TEST(StrategicMerge, OrdersElementsAsAsked) {
  EXPECT_EQ(patched(R"({"imagePullSecrets":[{"name":"a"},{"name":"b"},{"name":"c"}]})",
                    R"({"$setElementOrder/imagePullSecrets":[{"name":"c"},{"name":"a"}]})"),
            Json::parse(R"({"imagePullSecrets":[{"name":"b"},{"name":"c"},{"name":"a"}]})"));
  EXPECT_EQ(patched(R"({"imagePullSecrets":[{"name":"a"}]})",
                    R"({"imagePullSecrets":[{"name":"b"}],"$setElementOrder/imagePullSecrets":[{"name":"c"}]})"),
            "spec: $setElementOrder/imagePullSecrets: the elements are not in the order of $setElementOrder");
}

TEST(StrategicMerge, TreatsFinalizersAsASet) {
  const Json map = Json::parse(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"finalizers":["a","b"]}})");
  const auto result = apply_strategic_merge_patch(
      map, Json::parse(R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["a"],"finalizers":["b","c"]}})"));
  EXPECT_EQ(result.value()["metadata"], Json::parse(R"({"finalizers":["b","c"]})"));
}

TEST(StrategicMerge, LeavesNoDirectiveInTheResult) {
  EXPECT_EQ(
      patched("{}", R"({"containers":[{"name":"a","$setElementOrder/env":[],"env":[{"name":"x","$patch":"delete"}],
                              "$retainKeys":["name"]}]})"),
      Json::parse(R"({"containers":[{"name":"a","env":[]}]})"));
}

TEST(StrategicMerge, NamesWhereAPatchDoesNotFit) {
  EXPECT_EQ(patched(R"({"containers":[{"name":"a"}]})", R"({"containers":[{"image":"x"}]})"),
            "spec: containers: an element lacks the merge key name");
  EXPECT_EQ(patched(R"({"containers":[{"name":"a"}]})", R"({"containers":["a"]})"),
            "spec: containers: the elements are not all of one type");
  EXPECT_EQ(patched(R"({"containers":[{"name":"a"}]})", R"({"containers":[{"name":{}}]})"),
            "spec: containers: elements cannot be told apart by an object");
  EXPECT_EQ(patched(R"({"a":1})", R"({"$patch":"merge"})"), "spec: $patch must be replace or delete");
}

TEST(StrategicMerge, RefusesCustomResources) {
  const Json custom = Json::parse(R"({"apiVersion":"velero.io/v1","kind":"Backup"})");
  EXPECT_EQ(apply_strategic_merge_patch(custom, Json::object()).error().code(), Code::kUnsupported);
  EXPECT_FALSE(apply_strategic_merge_patch(Json::parse(R"({"kind":"Pod"})"), Json::object()));
  EXPECT_FALSE(apply_strategic_merge_patch(Json::parse(R"({"apiVersion":"v1","kind":"Pod"})"), Json::array()));
  EXPECT_FALSE(supports_strategic_merge("snapshot.storage.k8s.io/v1"));
  EXPECT_TRUE(supports_strategic_merge("storage.k8s.io/v1"));
}

// testdata/strategic_merge.json: what k8s.io/apimachinery 0.34 makes of these; no result means that it refused.
TEST(StrategicMerge, DoesWhatTheApiServerDoes) {
  const Json table = load_testdata("strategic_merge.json");
  ASSERT_GT(table.size(), 150);
  for (const Json& row : table) {
    const auto result = apply_strategic_merge_patch(row["document"], row["patch"]);
    if (row.contains("result")) {
      ASSERT_TRUE(result) << row << result.error().message();
      EXPECT_EQ(*result, row["result"]) << row;
    } else {
      EXPECT_FALSE(result) << row;
    }
  }
}

// testdata/merge_rules.json: every rule that a patch can reach in the API types of k8s.io/api 0.34.
TEST(MergeRules, AreThoseOfTheApiTypes) {
  const Json rules = load_testdata("merge_rules.json");
  ASSERT_GT(rules.size(), 400);
  for (const Json& row : rules) {
    MergeRule rule;
    const std::string kind = row[0];
    rule.type = kind;
    std::string_view path = row[1].get_ref<const std::string&>();
    while (!path.empty()) {
      const auto dot = path.find('.');
      rule = merge_rule(rule.type, path.substr(0, dot));
      path = dot == std::string_view::npos ? "" : path.substr(dot + 1);
    }
    const auto expected = row[2] == "merge" ? MergeRule::Strategy::kMerge : MergeRule::Strategy::kReplace;
    EXPECT_EQ(rule.strategy, expected) << row;
    EXPECT_EQ(rule.merge_key, row[3].get_ref<const std::string&>()) << row;
  }
}

}  // namespace
}  // namespace landfall::json
