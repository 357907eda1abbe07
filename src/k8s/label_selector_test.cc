#include "k8s/label_selector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "k8s/golden_file.h"
#include "k8s/label_selector_generator.h"

namespace landfall::k8s {
namespace {

using json::Json;
using testing::ElementsAre;

bool matches(std::string_view selector, const json::StringMap& labels) {
  return LabelSelector::parse(selector).value().matches(labels);
}

std::string error_of(std::string_view selector) {
  const auto parsed = LabelSelector::parse(selector);
  return parsed ? "no error" : parsed.error().message();
}

TEST(LabelSelector, ReadsPrintsAndMatchesAsKubernetesDoes) {
  const Json golden = read_golden_file("label_selectors.json");
  const auto labels = golden["labels"].get<std::vector<json::StringMap>>();
  ASSERT_GT(golden["cases"].size(), 150U);

  for (const Json& entry : golden["cases"]) {
    const auto text = entry["text"].get<std::string>();
    const auto parsed = LabelSelector::parse(text);
    if (entry.contains("error")) {
      ASSERT_FALSE(parsed) << text;
      EXPECT_EQ(parsed.error(), Error(Code::kInvalid, entry["error"].get<std::string>())) << text;
      continue;
    }
    ASSERT_TRUE(parsed) << text << ": " << parsed.error().message();
    EXPECT_EQ(parsed->to_string(), entry["prints"].get<std::string>()) << text;
    std::vector<std::size_t> matched;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (parsed->matches(labels[i])) {
        matched.push_back(i);
      }
    }
    EXPECT_EQ(matched, entry.value("matches", std::vector<std::size_t>{})) << text;
  }
}

TEST(LabelSelector, AcceptsAMissingLabelInANegativeRequirement) {
  EXPECT_TRUE(matches("a!=b", {}));
  EXPECT_TRUE(matches("a notin (b,c)", {}));
  EXPECT_FALSE(matches("a=", {}));
  EXPECT_FALSE(matches("a in (,b)", {}));
}

TEST(LabelSelector, NeedsEveryRequirementToHold) {
  EXPECT_TRUE(matches("app=web,tier in (db,cache),!canary", {{"app", "web"}, {"tier", "db"}}));
  EXPECT_FALSE(matches("app=web,tier in (db,cache),!canary", {{"app", "web"}, {"tier", "db"}, {"canary", ""}}));
  EXPECT_FALSE(matches("a=b,a=c", {{"a", "b"}}));
}

TEST(LabelSelector, ComparesWholeNumbersOnly) {
  EXPECT_TRUE(matches("x>5", {{"x", "+6"}}));
  EXPECT_TRUE(matches("x<5", {{"x", "-9223372036854775808"}}));
  EXPECT_FALSE(matches("x>5", {{"x", "5"}}));
  EXPECT_FALSE(matches("x>5", {{"x", "6.5"}}));
  EXPECT_FALSE(matches("x>5", {{"x", "9223372036854775808"}}));
  EXPECT_FALSE(matches("x<5", {}));
}

TEST(LabelSelector, ReportsAllThatIsWrongWithAValue) {
  EXPECT_EQ(
      error_of("a>-"),
      "unable to parse requirement: [values[0]: Invalid value: \"-\": for 'Gt', 'Lt' operators, the value must be "
      "an integer, values[0][a]: Invalid value: \"-\": a valid label must be an empty string or consist of "
      "alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. "
      "'MyValue',  or 'my_value',  or '12345', regex used for validation is "
      "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')]");
}

TEST(LabelSelector, QuotesBytesThatAreNotTextInItsErrors) {
  EXPECT_THAT(error_of("\xff=b"), testing::HasSubstr(R"(<nil>: Invalid value: "\xff": name part must)"));
}

TEST(LabelSelector, EndsAtAZeroByteAsKubernetesDoes) {
  using std::string_view_literals::operator""sv;

  EXPECT_EQ(LabelSelector::parse("a=b \0 garbage ("sv).value().to_string(), "a=b");
  EXPECT_EQ(LabelSelector::parse("a\0=b"sv).value().to_string(), "a=b");
}

TEST(LabelSelector, IsMadeFromLabelsWithoutChecks) {
  const auto selector = LabelSelector::of_labels({{"b", "-"}, {"a", ""}});

  EXPECT_EQ(selector.to_string(), "a=,b=-");
  EXPECT_TRUE(selector.matches({{"a", ""}, {"b", "-"}, {"c", "x"}}));
  EXPECT_TRUE(LabelSelector::of_labels({}).empty());
}

TEST(LabelSelector, TellsEverythingFromNothing) {
  EXPECT_TRUE(LabelSelector().matches(json::StringMap{}));
  EXPECT_TRUE(LabelSelector().empty());
  EXPECT_FALSE(LabelSelector::nothing().matches(json::StringMap{}));
  EXPECT_FALSE(LabelSelector::nothing().matches({{"a", "b"}}));
  EXPECT_FALSE(LabelSelector::nothing().empty());
  EXPECT_FALSE(LabelSelector() == LabelSelector::nothing());
}

TEST(LabelSelector, LooksAtTheLabelsOfAnObject) {
  const Json web = *json::parse(R"({"metadata": {"labels": {"app": "web"}}})");
  const Json bare = *json::parse(R"({"metadata": {}})");
  const Json damaged = *json::parse(R"({"metadata": {"labels": {"app": "web", "x": 1}}})");
  const auto selector = LabelSelector::parse("app=web").value();

  EXPECT_TRUE(selector.matches_object(web));
  EXPECT_FALSE(selector.matches_object(bare));
  EXPECT_FALSE(selector.matches_object(damaged));
  EXPECT_TRUE(LabelSelector().matches_object(Json(nullptr)));
  EXPECT_FALSE(LabelSelector::nothing().matches_object(web));
}

TEST(LabelSelector, ReadsAHundredThousandValuesWithoutTrouble) {
  std::string text = "a in (";
  for (int i = 0; i < 100'000; ++i) {
    text += "v" + std::to_string(i) + ",";
  }
  text.back() = ')';

  const auto selector = LabelSelector::parse(text).value();

  EXPECT_EQ(selector.requirements().front().values().size(), 100'000U);
  EXPECT_TRUE(selector.matches({{"a", "v77777"}}));
  EXPECT_FALSE(selector.matches({{"a", "w"}}));
}

TEST(LabelRequirement, SortsItsValuesAndKeepsThoseGivenTwice) {
  const auto requirement = LabelRequirement::make("a", LabelOperator::kIn, {"c", "b", "c"}).value();

  EXPECT_THAT(requirement.values(), ElementsAre("b", "c", "c"));
  EXPECT_EQ(requirement.to_string(), "a in (b,c,c)");
}

TEST(LabelRequirement, NeedsTheRightNumberOfValues) {
  const auto error = [](LabelOperator op, std::vector<std::string> values) {
    return LabelRequirement::make("a", op, std::move(values)).error().message();
  };

  EXPECT_EQ(error(LabelOperator::kIn, {}),
            "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty");
  EXPECT_EQ(error(LabelOperator::kExists, {"x", "<"}).substr(0, 94),
            "[values: Invalid value: [\"x\",\"\\u003c\"]: values set must be empty for exists and does not exist");
  EXPECT_EQ(error(LabelOperator::kEquals, {"x", "y"}),
            "values: Invalid value: [\"x\",\"y\"]: exact-match compatibility requires one single value");
  EXPECT_EQ(error(LabelOperator::kGreaterThan, {}),
            "values: Invalid value: null: for 'Gt', 'Lt' operators, exactly one value is required");
}

RC_GTEST_PROP(LabelSelector, ReadsBackWhatItPrints, ()) {
  const LabelSelector selector = *any_label_selector();

  const auto again = LabelSelector::parse(selector.to_string());

  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == selector);
}

RC_GTEST_PROP(LabelSelector, NeverAcceptsWhatItsOppositeAccepts, ()) {
  const auto key = *any_label_key();
  const auto values = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(any_label_value()));
  const auto labels = *any_labels();

  const LabelSelector in({LabelRequirement::make(key, LabelOperator::kIn, values).value()});
  const LabelSelector not_in({LabelRequirement::make(key, LabelOperator::kNotIn, values).value()});

  RC_ASSERT(in.matches(labels) != not_in.matches(labels));
}

RC_GTEST_PROP(LabelSelector, NeverFailsBadlyOnAnyText, (const std::string& text)) {
  if (const auto selector = LabelSelector::parse(text)) {
    RC_ASSERT(LabelSelector::parse(selector->to_string()).value() == *selector);
  }
}

}  // namespace
}  // namespace landfall::k8s
