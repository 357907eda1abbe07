#include "json/patch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/json.h"
#include "json/test_values.h"

namespace landfall::json {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Error error_of(const char* document, const char* patch, const JsonPatchOptions& options = {}) {
  const auto result = apply_json_patch(Json::parse(document), Json::parse(patch), options);
  return result ? Error(Code::kInternal, "no error") : result.error();
}

// Each operation of testdata/json_patch.json was applied by the library that the API server uses (json-patch v4.12) and
// by the one that Velero uses (v5.9); no result means that it refused.
void expect_golden(const char* column, PatchDialect dialect) {
  const Json table = load_testdata("json_patch.json");
  ASSERT_GT(table["cases"].size(), 300);
  for (const Json& row : table["cases"]) {
    const auto result = apply_json_patch(table["document"], Json::array({row["op"]}), {.dialect = dialect});
    if (row.contains(column)) {
      ASSERT_TRUE(result) << row["op"] << result.error().message();
      EXPECT_EQ(*result, row[column]) << row["op"];
    } else {
      EXPECT_FALSE(result) << row["op"] << *result;
    }
  }
}

TEST(JsonPatch, DoesWhatTheApiServerDoes) { expect_golden("api_server", PatchDialect::kApiServer); }

TEST(JsonPatch, DoesWhatVeleroDoes) { expect_golden("velero", PatchDialect::kVelero); }

TEST(JsonPatch, AppliesOperationsInOrder) {
  const auto result = apply_json_patch(Json::parse(R"({"a":[1]})"), Json::parse(R"([
    {"op":"test","path":"/a/0","value":1.0},
    {"op":"add","path":"/a/-","value":2},
    {"op":"copy","from":"/a","path":"/b"},
    {"op":"remove","path":"/a/-1"},
    {"op":"move","from":"/b/0","path":"/a/0"}])"));
  EXPECT_EQ(result.value(), Json::parse(R"({"a":[1,1],"b":[2]})"));
}

TEST(JsonPatch, NamesTheOperationThatFails) {
  EXPECT_EQ(error_of(R"({"a":1})", R"([{"op":"test","path":"/a","value":1},{"op":"remove","path":"/spec/x"}])"),
            Error(Code::kNotFound, "operation 1 (remove /spec/x): the document has no such path"));
  EXPECT_EQ(error_of("{}", R"([{"op":"move","from":"/x","path":"/y"}])").message(),
            "operation 0 (move /y): from: the document has no such path");
  EXPECT_EQ(error_of("{}", R"([{"op":"add"}])").message(), "operation 0: path: missing, or not a string");
  EXPECT_EQ(error_of("{}", R"(["add"])").message(), "operation 0: expected an object, got a string");
}

TEST(JsonPatch, TellsAFailedTestFromOtherErrors) {
  EXPECT_EQ(error_of(R"({"a":1})", R"([{"op":"test","path":"/a","value":2}])").code(), Code::kConflict);
  EXPECT_EQ(error_of(R"({"a":1})", R"([{"op":"test","path":"/b","value":2}])").code(), Code::kConflict);
  EXPECT_EQ(error_of(R"({"a":1})", R"([{"op":"test","path":"/b/c","value":2}])").code(), Code::kNotFound);
  EXPECT_EQ(error_of(R"({"a":[1]})", R"([{"op":"test","path":"/a/x","value":2}])").code(), Code::kInvalid);
}

TEST(JsonPatch, AcceptsATestForNullWhereThereIsNothing) {
  EXPECT_TRUE(apply_json_patch(Json::object(), Json::parse(R"([{"op":"test","path":"/a","value":null}])")));
}

TEST(JsonPatch, RefusesWhatIsNoPatchOrNoDocument) {
  EXPECT_EQ(error_of("{}", "{}").message(), "a JSON patch must be a list of operations, got an object");
  EXPECT_EQ(error_of("5", "[]").message(), "only an object or a list can be patched, got a number");
}

TEST(JsonPatch, BoundsTheNumberOfOperations) {
  const auto operation = Json::parse(R"({"op":"add","path":"/a","value":1})");
  EXPECT_TRUE(apply_json_patch(Json::object(), Json(10'000, operation)));
  EXPECT_EQ(apply_json_patch(Json::object(), Json(10'001, operation)).error().code(), Code::kTooLarge);
}

TEST(JsonPatch, BoundsWhatCopiesAdd) {
  // Each copy doubles the list.
  Json patch = Json::array();
  for (int i = 0; i < 60; ++i) patch.push_back(Json::parse(R"({"op":"copy","from":"/a","path":"/a/-"})"));
  const auto result = apply_json_patch(Json::parse(R"({"a":["0123456789"]})"), patch, {.max_depth = 100'000});
  EXPECT_EQ(result.error().code(), Code::kTooLarge);
  EXPECT_THAT(result.error().message(), ::testing::HasSubstr("3145728 bytes"));
}

TEST(JsonPatch, BoundsTheDepthThatOperationsBuildUp) {
  Json copies = Json::array();
  Json moves = Json::parse(R"([{"op":"add","path":"/x","value":{}}])");
  for (int i = 0; i < 2000; ++i) {
    copies.push_back(Json::parse(R"({"op":"copy","from":"/a","path":"/a/b"})"));
    moves.push_back(Json::parse(R"({"op":"add","path":"/y","value":{}})"));
    moves.push_back(Json::parse(R"({"op":"move","from":"/x","path":"/y/x"})"));
    moves.push_back(Json::parse(R"({"op":"move","from":"/y","path":"/x"})"));
  }
  const Json document = Json::parse(R"({"a":{}})");
  EXPECT_THAT(apply_json_patch(document, copies).error().message(), ::testing::HasSubstr("1000 levels"));
  EXPECT_THAT(apply_json_patch(document, moves).error().message(), ::testing::HasSubstr("1000 levels"));
}

TEST(JsonPatch, BoundsTheWorkOnLongLists) {
  const Json document = {{"a", Json(1'000'000, 0)}};
  EXPECT_EQ(apply_json_patch(document, Json(200, Json::parse(R"({"op":"remove","path":"/a/0"})"))).error().code(),
            Code::kTooLarge);
}

TEST(MergePatch, RemovesMergesAndReplaces) {
  const auto result = apply_merge_patch(Json::parse(R"({"a":1,"b":{"c":1,"d":2},"l":[1,2],"o":{"x":1}})"),
                                        Json::parse(R"({"a":null,"b":{"c":null,"e":{"f":null}},"l":[3],"o":"text"})"));
  EXPECT_EQ(result.value(), Json::parse(R"({"b":{"d":2,"e":{}},"l":[3],"o":"text"})"));
}

TEST(MergePatch, DropsNullsInsideNewListsAsKubernetesDoes) {
  EXPECT_EQ(apply_merge_patch(Json::parse(R"({"l":[1]})"), Json::parse(R"({"l":[null,{"a":null}]})")).value(),
            Json::parse(R"({"l":[null,{}]})"));
}

TEST(MergePatch, RefusesAPatchThatIsNoObject) {
  EXPECT_EQ(apply_merge_patch(Json::object(), Json::array()).error().message(),
            "a merge patch must be an object, got a list");
}

TEST(CreateMergePatch, SaysOnlyWhatChanged) {
  EXPECT_EQ(create_merge_patch(Json::parse(R"({"a":1,"b":{"c":1,"d":2},"l":[1,2],"x":{"y":1},"n":1})"),
                               Json::parse(R"({"a":1,"b":{"c":1,"d":3},"l":[2,1],"n":1.0,"z":{}})")),
            Json::parse(R"({"b":{"d":3},"l":[2,1],"x":null,"z":{}})"));
}

TEST(Differences, NamesThePathsThatDiffer) {
  const Json a = Json::parse(R"({"spec":{"replicas":1,"ports":[{"port":1},{"port":2}]},"only":null,"same":[1]})");
  const Json b = Json::parse(R"({"spec":{"replicas":2,"ports":[{"port":1},{"port":3},4]},"same":[1.0]})");
  EXPECT_THAT(differences(a, b), ElementsAre("only", "spec.ports[1].port", "spec.replicas"));
  EXPECT_THAT(differences(a, b, 1), ElementsAre("only"));
  EXPECT_THAT(differences(Json(1), Json(2)), ElementsAre("the document"));
  EXPECT_THAT(differences(a, a), IsEmpty());
}

}  // namespace
}  // namespace landfall::json
