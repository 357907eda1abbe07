#include "k8s/field_selector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "base/strings.h"
#include "k8s/golden_file.h"

namespace landfall::k8s {
namespace {

using json::Json;

TEST(FieldSelector, ReadsPrintsAndMatchesAsKubernetesDoes) {
  const Json golden = read_golden_file("field_selectors.json");
  const auto fields = golden["fields"].get<std::vector<std::map<std::string, std::string>>>();
  ASSERT_GT(golden["cases"].size(), 40U);

  for (const Json& entry : golden["cases"]) {
    const auto text = entry["text"].get<std::string>();
    const auto parsed = FieldSelector::parse(text);
    if (entry.contains("error")) {
      ASSERT_FALSE(parsed) << text;
      EXPECT_EQ(parsed.error(), Error(Code::kInvalid, entry["error"].get<std::string>())) << text;
      continue;
    }
    ASSERT_TRUE(parsed) << text << ": " << parsed.error().message();
    EXPECT_EQ(parsed->to_string(), entry["prints"].get<std::string>()) << text;
    std::vector<std::size_t> matched;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (parsed->matches(fields[i])) {
        matched.push_back(i);
      }
    }
    EXPECT_EQ(matched, entry.value("matches", std::vector<std::size_t>{})) << text;
  }
}

TEST(FieldSelector, AsksForTheFieldsItNames) {
  const auto selector = FieldSelector::parse("metadata.name=web,status.phase!=Running").value();

  EXPECT_TRUE(selector.matches([](std::string_view field) { return field == "metadata.name" ? "web" : "Failed"; }));
  EXPECT_FALSE(selector.matches([](std::string_view) { return "Running"; }));
}

TEST(FieldSelector, KnowsWhichValueAFieldMustHave) {
  const auto selector = FieldSelector::parse("metadata.name=web,status.phase!=Running").value();

  EXPECT_EQ(selector.required_value("metadata.name"), "web");
  EXPECT_EQ(selector.required_value("status.phase"), std::nullopt);
  EXPECT_EQ(selector.required_value("spec.nodeName"), std::nullopt);
}

TEST(FieldSelector, DropsATermOfAnOperatorAlone) {
  EXPECT_TRUE(FieldSelector::parse("=,!=,==").value().empty());
  EXPECT_TRUE(FieldSelector().empty());
}

TEST(FieldSelector, ReplacesWhatIsNoTextOnlyBesideAnEscape) {
  EXPECT_EQ(FieldSelector::parse("a=\xff").value().terms().front().value, "\xff");
  EXPECT_EQ(FieldSelector::parse("a=\xff\\,").value().terms().front().value, "\xEF\xBF\xBD,");
}

std::vector<FieldSelector::Term> sorted_terms(const FieldSelector& selector) {
  auto terms = selector.terms();
  std::ranges::sort(terms);
  return terms;
}

RC_GTEST_PROP(FieldSelector, ReadsBackAnyValue, ()) {
  const auto character = rc::gen::element('a', ',', '=', '\\', '!', ' ', '7');
  const auto value = *rc::gen::container<std::string>(character);
  const bool negated = *rc::gen::arbitrary<bool>();
  const FieldSelector selector({{.field = "metadata.name", .negated = negated, .value = value}});

  const auto again = FieldSelector::parse(selector.to_string());

  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == selector);
}

rc::Gen<std::string> any_term() {
  return rc::gen::apply(
      [](const std::string& field, const std::string& op, const std::string& value) { return field + op + value; },
      rc::gen::element<std::string>("a", "", "a.b", "a\\,b", "a\\"), rc::gen::element<std::string>("=", "==", "!="),
      rc::gen::element<std::string>("", "5", "7", "!", "x\\,y", "\\=x", "\\\\", "\xff"));
}

RC_GTEST_PROP(FieldSelector, MeansTheSameAfterPrinting, ()) {
  const auto texts = *rc::gen::container<std::vector<std::string>>(any_term());
  const auto selector = FieldSelector::parse(join(texts, ",")).value();

  const auto again = FieldSelector::parse(selector.to_string()).value();

  RC_ASSERT(sorted_terms(again) == sorted_terms(selector));
}

}  // namespace
}  // namespace landfall::k8s
