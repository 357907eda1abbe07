#include "json/access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/json.h"

namespace landfall::json {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

Json pod() {
  return Json::parse(R"({
    "metadata": {"name": "db-0", "labels": {"app": "db", "app.kubernetes.io/part-of": "shop"}, "annotations": null},
    "spec": {"replicas": "3", "priority": 7, "weight": 0.5, "whole": 3.0, "hostNetwork": true,
             "containers": [{"name": "db", "args": ["-a", "-b"]}, {"name": "side", "args": ["-c", 4]}]}})");
}

template <class T>
std::string message_of(const Result<T>& result) {
  return result ? "no error" : result.error().message();
}

TEST(Find, FollowsKeysAndIndices) {
  const Json document = pod();
  EXPECT_EQ(*find(document, {"metadata", "name"}), "db-0");
  EXPECT_EQ(*find(document, {"spec", "containers", "1", "name"}), "side");
  EXPECT_EQ(find(document, {}), &document);
}

TEST(Find, ReturnsNothingForWhatIsMissingNullOrNotAContainer) {
  const Json document = pod();
  EXPECT_EQ(find(document, {"metadata", "namespace"}), nullptr);
  EXPECT_EQ(find(document, {"metadata", "annotations"}), nullptr);
  EXPECT_EQ(find(document, {"metadata", "annotations", "x"}), nullptr);
  EXPECT_EQ(find(document, {"metadata", "name", "x"}), nullptr);
  EXPECT_EQ(find(document, {"spec", "containers", "2"}), nullptr);
  EXPECT_EQ(find(document, {"spec", "containers", "-1"}), nullptr);
  EXPECT_EQ(find(document, {"spec", "containers", "1x"}), nullptr);
  EXPECT_EQ(find_string(document, {"spec", "priority"}), nullptr);
}

TEST(At, ReadsEachType) {
  const Json document = pod();
  EXPECT_EQ(string_at(document, {"metadata", "name"}), "db-0");
  EXPECT_EQ(int_at(document, {"spec", "priority"}), 7);
  EXPECT_EQ(int_at(document, {"spec", "whole"}), 3);
  EXPECT_EQ(double_at(document, {"spec", "weight"}), 0.5);
  EXPECT_EQ(bool_at(document, {"spec", "hostNetwork"}), true);
  EXPECT_EQ((*object_at(document, {"metadata", "labels"}))->size(), 2);
  EXPECT_EQ((*array_at(document, {"spec", "containers"}))->size(), 2);
}

TEST(At, NamesThePathOfAWrongType) {
  const Json document = pod();
  EXPECT_EQ(message_of(int_at(document, {"spec", "replicas"})), "spec.replicas: expected a whole number, got a string");
  EXPECT_EQ(message_of(int_at(document, {"spec", "weight"})), "spec.weight: expected a whole number, got a number");
  EXPECT_EQ(message_of(string_at(document, {"spec", "containers", "0", "args"})),
            "spec.containers[0].args: expected a string, got a list");
  EXPECT_EQ(message_of(bool_at(document, {"metadata", "labels", "app.kubernetes.io/part-of"})),
            "metadata.labels[app.kubernetes.io/part-of]: expected true or false, got a string");
  EXPECT_EQ(message_of(string_at(document, {})), "the document: expected a string, got an object");
}

TEST(At, SaysWhatIsMissing) {
  const auto result = string_at(pod(), {"metadata", "annotations"});
  EXPECT_EQ(message_of(result), "metadata.annotations: missing");
  EXPECT_EQ(result.error().code(), Code::kNotFound);
}

TEST(At, RefusesAWholeNumberThatInt64CannotHold) {
  EXPECT_FALSE(int_at(Json(1e19), {}));
  EXPECT_FALSE(int_at(Json(UINT64_MAX), {}));
  EXPECT_EQ(int_at(Json(-9223372036854775808.0), {}), INT64_MIN);
}

TEST(OptionalAt, TellsMissingFromWrong) {
  const Json document = pod();
  EXPECT_EQ(optional_string_at(document, {"metadata", "namespace"}), std::nullopt);
  EXPECT_EQ(optional_int_at(document, {"spec", "priority"}), 7);
  EXPECT_FALSE(optional_bool_at(document, {"spec", "priority"}));
}

TEST(Or, FallsBackForMissingAndWrong) {
  const Json document = pod();
  EXPECT_EQ(string_or(document, {"metadata", "name"}, "x"), "db-0");
  EXPECT_EQ(string_or(document, {"spec", "priority"}, "x"), "x");
  EXPECT_EQ(int_or(document, {"spec", "nothing"}, 5), 5);
  EXPECT_EQ(double_or(document, {"spec", "weight"}, 5), 0.5);
  EXPECT_TRUE(bool_or(document, {"spec", "nothing"}, true));
}

TEST(StringMapAt, ReadsLabels) {
  const Json document = pod();
  EXPECT_THAT(*string_map_at(document, {"metadata", "labels"}),
              ElementsAre(Pair("app", "db"), Pair("app.kubernetes.io/part-of", "shop")));
  EXPECT_THAT(*string_map_at(document, {"metadata", "annotations"}), IsEmpty());
  EXPECT_EQ(message_of(string_map_at(document, {"spec"})), "spec[containers]: expected a string, got a list");
}

TEST(StringListAt, ReadsNamesAndNamesTheWrongElement) {
  const Json document = pod();
  EXPECT_THAT(*string_list_at(document, {"spec", "containers", "0", "args"}), ElementsAre("-a", "-b"));
  EXPECT_EQ(message_of(string_list_at(document, {"spec", "containers", "1", "args"})),
            "spec.containers[1].args[1]: expected a string, got a number");
}

TEST(SetAt, CreatesTheObjectsOnTheWay) {
  Json document = Json::parse(R"({"status":null})");
  ASSERT_TRUE(set_at(document, {"status", "progress", "totalItems"}, 5));
  ASSERT_TRUE(set_at(document, {"metadata", "name"}, "x"));
  EXPECT_EQ(document, Json::parse(R"({"metadata":{"name":"x"},"status":{"progress":{"totalItems":5}}})"));
}

TEST(SetAt, ReplacesWhatIsThereAndAppendsToLists) {
  Json document = pod();
  ASSERT_TRUE(set_at(document, {"spec", "containers", "0", "name"}, "new"));
  ASSERT_TRUE(set_at(document, {"spec", "containers", "0", "args", "-"}, "-z"));
  EXPECT_EQ(document["spec"]["containers"][0], Json::parse(R"({"name":"new","args":["-a","-b","-z"]})"));
}

TEST(SetAt, ChangesNothingWhenSomethingIsInTheWay) {
  Json document = pod();
  EXPECT_EQ(message_of(set_at(document, {"metadata", "name", "x", "y"}, 1)),
            "metadata.name: expected an object, got a string");
  EXPECT_EQ(message_of(set_at(document, {"spec", "containers", "2", "name"}, "x")),
            "spec.containers[2]: no such list element");
  EXPECT_EQ(document, pod());
}

TEST(EraseAt, TakesMembersNullsAndElements) {
  Json document = pod();
  EXPECT_TRUE(erase_at(document, {"metadata", "annotations"}));
  EXPECT_TRUE(erase_at(document, {"spec", "containers", "0"}));
  EXPECT_FALSE(erase_at(document, {"spec", "containers", "1"}));
  EXPECT_FALSE(erase_at(document, {"metadata", "name", "x"}));
  EXPECT_FALSE(erase_at(document, {}));
  EXPECT_FALSE(document["metadata"].contains("annotations"));
  EXPECT_EQ(document["spec"]["containers"].size(), 1);
}

}  // namespace
}  // namespace landfall::json
