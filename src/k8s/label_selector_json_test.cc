#include "k8s/label_selector_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "k8s/golden_file.h"
#include "k8s/label_selector_generator.h"

namespace landfall::k8s {
namespace {

using json::Json;

Result<LabelSelector> from_text(std::string_view text) {
  const Json document = *json::parse(text);
  return label_selector_from_json(&document);
}

std::string print(std::string_view text) {
  const auto selector = from_text(text);
  return selector ? selector->to_string() : "error: " + selector.error().message();
}

TEST(LabelSelectorJson, StoresASelectorAsVelerosCommandLineDoes) {
  const Json golden = read_golden_file("label_selectors.json");
  int compared = 0;
  for (const Json& entry : golden["cases"]) {
    const auto text = entry["text"].get<std::string>();
    const auto stored = parse_label_selector_to_json(text);
    const std::string refused = entry.value("jsonError", "");
    // The two deliberate differences have their own tests below.
    if (refused == R"("!=" is not a valid label selector operator)" || text == "a=b,a=c") {
      continue;
    }
    ++compared;
    if (entry.contains("json")) {
      ASSERT_TRUE(stored) << text << ": " << stored.error().message();
      EXPECT_EQ(*stored, entry["json"]) << text;
    } else if (!refused.empty()) {
      ASSERT_FALSE(stored) << text;
      EXPECT_EQ(stored.error(), Error(Code::kInvalid, refused)) << text;
    } else {
      ASSERT_FALSE(stored) << text;
      EXPECT_EQ(stored.error().message(),
                "couldn't parse the selector string \"" + text + "\": " + entry["error"].get<std::string>());
    }
  }
  EXPECT_GT(compared, 150);
}

TEST(LabelSelectorJson, StoresInequalityAsNotIn) {
  EXPECT_EQ(*parse_label_selector_to_json("a!=b"),
            *json::parse(R"({"matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["b"]}]})"));
}

TEST(LabelSelectorJson, KeepsBothOfTwoValuesForOneKey) {
  EXPECT_EQ(*parse_label_selector_to_json("a=b,a=c"), *json::parse(R"({"matchLabels": {"a": "b"},
                             "matchExpressions": [{"key": "a", "operator": "In", "values": ["c"]}]})"));
}

TEST(LabelSelectorJson, RefusesComparisonsOfNumbers) {
  EXPECT_EQ(parse_label_selector_to_json("a>1").error(),
            Error(Code::kInvalid, "\"gt\" isn't supported in label selectors"));
}

TEST(LabelSelectorJson, MatchesNothingWithoutASelectorAndEverythingWithAnEmptyOne) {
  EXPECT_TRUE(label_selector_from_json(nullptr)->is_nothing());
  EXPECT_TRUE(from_text("null")->is_nothing());
  EXPECT_TRUE(from_text("{}")->empty());
  EXPECT_TRUE(from_text(R"({"matchLabels": null, "matchExpressions": []})")->empty());
}

TEST(LabelSelectorJson, ReadsLabelsAndExpressions) {
  EXPECT_EQ(print(R"({"matchLabels": {"z": "1", "a": "b"}, "matchExpressions": [
                       {"key": "tier", "operator": "In", "values": ["db", "cache"]},
                       {"key": "x", "operator": "NotIn", "values": [""]},
                       {"key": "e", "operator": "Exists"},
                       {"key": "n", "operator": "DoesNotExist", "values": []}]})"),
            "a=b,e,!n,tier in (cache,db),x notin (),z=1");
}

TEST(LabelSelectorJson, ReadsNullAsAnEmptyText) {
  EXPECT_EQ(print(R"({"matchLabels": {"a": null}, "matchExpressions": [
                       {"key": "b", "operator": "In", "values": [null, "x"]}]})"),
            "a=,b in (,x)");
}

TEST(LabelSelectorJson, SaysWhatIsNotValidInKubernetesWords) {
  EXPECT_EQ(print(R"({"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["1"]}]})"),
            "error: \"Gt\" is not a valid label selector operator");
  EXPECT_EQ(print(R"({"matchExpressions": [{"key": "a", "operator": "In"}]})"),
            "error: values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty");
  EXPECT_THAT(print(R"({"matchExpressions": [{"operator": "Exists"}]})"),
              testing::StartsWith("error: key: Invalid value: \"\": name part must be non-empty; name part must"));
  EXPECT_THAT(print(R"({"matchLabels": {"a": "-"}})"),
              testing::StartsWith("error: values[0][a]: Invalid value: \"-\": a valid label must be an empty string"));
}

TEST(LabelSelectorJson, NamesThePlaceOfAWrongType) {
  EXPECT_EQ(print("[]"), "error: expected an object, got a list");
  EXPECT_EQ(print(R"({"matchLabels": "a=b"})"), "error: matchLabels: expected an object, got a string");
  EXPECT_EQ(print(R"({"matchLabels": {"a": 1}})"), "error: matchLabels[a]: expected a string, got a number");
  EXPECT_EQ(print(R"({"matchExpressions": {}})"), "error: matchExpressions: expected a list, got an object");
  EXPECT_EQ(print(R"({"matchExpressions": [{"key": "a", "operator": "Exists"}, 7]})"),
            "error: matchExpressions[1]: expected an object, got a number");
  EXPECT_EQ(print(R"({"matchExpressions": [{"key": "a", "operator": "In", "values": "b"}]})"),
            "error: matchExpressions[0].values: expected a list, got a string");
  EXPECT_EQ(print(R"({"matchExpressions": [{"key": "a", "operator": "In", "values": ["b", {}]}]})"),
            "error: matchExpressions[0].values[1]: expected a string, got an object");
}

TEST(LabelSelectorJson, FormatsForPeople) {
  const Json selector = *json::parse(R"({"matchLabels": {"a": "b", "c": "d"}})");
  const Json wrong = *json::parse(R"({"matchLabels": {"-": "b"}})");
  const Json empty = Json::object();

  EXPECT_EQ(format_label_selector(&selector), "a=b,c=d");
  EXPECT_EQ(format_label_selector(&wrong), "<error>");
  EXPECT_EQ(format_label_selector(&empty), "<none>");
  EXPECT_EQ(format_label_selector(nullptr), "<none>");
}

TEST(LabelSelectorJson, StoresNothingAsNull) {
  EXPECT_TRUE(label_selector_to_json(LabelSelector::nothing())->is_null());
  EXPECT_EQ(*label_selector_to_json(LabelSelector()), Json::object());
}

RC_GTEST_PROP(LabelSelectorJson, KeepsTheMeaningOfEverySelectorItStores, ()) {
  const LabelSelector selector = *any_label_selector();
  const json::StringMap labels = *any_labels();

  if (const auto stored = label_selector_to_json(selector)) {
    RC_ASSERT(label_selector_from_json(&*stored).value().matches(labels) == selector.matches(labels));
  } else {
    RC_ASSERT(selector.to_string().find_first_of("<>") != std::string::npos);
  }
}

}  // namespace
}  // namespace landfall::k8s
