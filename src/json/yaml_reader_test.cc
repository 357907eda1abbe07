#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/json.h"
#include "json/test_values.h"
#include "json/yaml.h"

namespace landfall::json {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string error_of(std::string_view text, const YamlLimits& limits = {}) {
  const auto result = parse_yaml(text, limits);
  return result ? "no error: " + result->dump() : result.error().message();
}

std::string repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

// testdata/yaml_values.json: what sigs.k8s.io/yaml 1.6 reads; no value means that it refused.
TEST(ParseYaml, ReadsWhatKubectlReads) {
  const Json table = load_testdata("yaml_values.json");
  ASSERT_GT(table.size(), 300);
  for (const Json& row : table) {
    const auto result = parse_yaml(row[0].get_ref<const std::string&>());
    if (row.size() == 2) {
      ASSERT_TRUE(result) << row << result.error().message();
      EXPECT_EQ(*result, row[1]) << row;
      EXPECT_EQ(dump_go(*result), dump_go(row[1])) << row;
    } else {
      EXPECT_FALSE(result) << row << *result;
    }
  }
}

TEST(ParseYaml, KeepsAQuotedWordAString) {
  EXPECT_EQ(parse_yaml("a: 'true'\nb: true\nc: \"1\"\nd: 1\n").value(),
            Json::parse(R"({"a":"true","b":true,"c":"1","d":1})"));
}

TEST(ParseYaml, ReadsJsonThatYamlCannot) {
  EXPECT_EQ(parse_yaml(R"( {"a":"\ud83d\ude00","b":"/"})").value(), Json::parse(R"({"a":"😀","b":"/"})"));
  EXPECT_EQ(parse_yaml("{a: [b, 'c']}").value(), Json::parse(R"({"a":["b","c"]})"));
}

TEST(ParseYaml, SkipsAByteOrderMark) {
  EXPECT_EQ(parse_yaml("\xEF\xBB\xBF"
                       "a: 1\nb: 2\n")
                .value(),
            Json::parse(R"({"a":1,"b":2})"));
}

TEST(ParseYaml, NamesLineAndColumn) {
  EXPECT_EQ(error_of("a: 1\nb: [x\n"), "line 3, column 1: did not find expected ',' or ']'");
  EXPECT_EQ(error_of("a:\n  b: 1\n  b: 2\n"), "line 3, column 3: the key b appears twice");
  EXPECT_EQ(error_of("a: 1\n---\nb: 2\n"), "line 2, column 1: a second document starts here, expected one");
  EXPECT_EQ(error_of("a: .inf"), "line 1, column 4: an infinite number or NaN cannot be written in JSON");
  EXPECT_EQ(error_of("a: !!binary //8="),
            "line 1, column 4: the !!binary value is not text: leave it in base64, without the tag");
  EXPECT_EQ(error_of("a: \x01"), "byte 4: control characters are not allowed");
  EXPECT_EQ(error_of("a: \xff"), "byte 4: invalid leading UTF-8 octet");
}

TEST(ParseYaml, RefusesAKeyThatAppearsTwiceUnlessItCameByMerge) {
  EXPECT_THAT(error_of("{a: 1, a: 2}"), HasSubstr("appears twice"));
  EXPECT_THAT(error_of("1: a\n'1': b"), HasSubstr("appears twice"));
  EXPECT_EQ(parse_yaml("x: &x {a: 1, b: 2}\nz: {<<: *x, a: 3}").value()["z"], Json::parse(R"({"a":3,"b":2})"));
  EXPECT_THAT(error_of("x: &x {a: 1}\nz: {<<: *x, a: 3, a: 4}"), HasSubstr("appears twice"));
}

TEST(ParseYaml, ResolvesAliasesToTheLatestAnchor) {
  EXPECT_EQ(parse_yaml("- &a 1\n- *a\n- &a [2]\n- *a\n").value(), Json::parse("[1,1,[2],[2]]"));
  EXPECT_THAT(error_of("- &a [*a]"), HasSubstr("inside the value that it stands for"));
  EXPECT_THAT(error_of("- *a"), HasSubstr("unknown anchor"));
}

TEST(ParseYaml, StopsBillionLaughs) {
  std::string text = "a0: &a0 [lol, lol]\n";
  for (int i = 1; i < 60; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before + ", " + before + "]\n";
  }
  EXPECT_EQ(parse_yaml(text).error().code(), Code::kTooLarge);
  EXPECT_THAT(error_of("a: &a xxxxxxxxxx\nb: [*a, *a, *a]", {.max_alias_bytes = 100}), HasSubstr("too large"));
}

TEST(ParseYaml, BoundsTheDepthOfTextAndAliases) {
  EXPECT_EQ(depth_of(parse_yaml("- " + repeated("[", 50) + repeated("]", 50), {.max_depth = 51}).value()), 51);
  EXPECT_EQ(error_of("- [[[", {.max_depth = 3}), "line 1, column 5: nested more than 3 levels deep");
  EXPECT_THAT(error_of("- &a [[x]]\n- [*a]", {.max_depth = 3}), HasSubstr("too deep"));
  EXPECT_EQ(parse_yaml(repeated("- ", 100'000)).error().code(), Code::kTooLarge);
}

TEST(ParseYaml, BoundsTheTimeThatLibyamlTakes) {
  EXPECT_EQ(parse_yaml("a: " + repeated("[", 990) + repeated("1,", 250'000)).error().code(), Code::kTooLarge);
  EXPECT_EQ(parse_yaml(repeated("%TAG !a! tag:x\n", 101)).error().code(), Code::kTooLarge);
}

TEST(ParseYaml, BoundsTheSize) { EXPECT_EQ(parse_yaml("abc", {.max_bytes = 2}).error().code(), Code::kTooLarge); }

TEST(ParseYamlDocuments, LeavesOutEmptyOnes) {
  EXPECT_THAT(parse_yaml_documents("---\n# nothing\n---\na: 1\n---\n...\n---\nb\n").value(),
              ElementsAre(Json::parse(R"({"a":1})"), Json("b")));
  EXPECT_THAT(parse_yaml_documents("").value(), IsEmpty());
}

TEST(ParseYamlDocuments, KeepsAnchorsWithinTheirDocument) {
  EXPECT_THAT(parse_yaml_documents("- &a 1\n---\n- *a\n").error().message(), HasSubstr("line 3, column 3: the alias"));
}

}  // namespace
}  // namespace landfall::json
