#include "sandbox_kinds/crd_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "json/json.h"
#include "json/parse.h"
#include "sandbox_kinds/crd_schema_pattern.h"

namespace landfall::sandbox {
namespace {

using json::Json;
using testing::ElementsAre;
using testing::HasSubstr;

Json parsed(std::string_view text) { return json::parse(text).value_or(Json()); }

std::shared_ptr<const CrdSchema> book_schema() {
  static const auto schema = CrdSchema::parse(parsed(R"({
    "type": "object",
    "properties": {"spec": {
      "type": "object", "required": ["title"],
      "properties": {
        "title": {"type": "string", "minLength": 2, "maxLength": 5, "pattern": "^[a-z]+$"},
        "pages": {"type": "integer", "minimum": 1, "maximum": 10, "default": 3},
        "size": {"x-kubernetes-int-or-string": true},
        "note": {"type": "string", "nullable": true},
        "genre": {"type": "string", "enum": ["sea", "land"]},
        "cover": {"type": "object", "default": {}, "properties": {"colour": {"type": "string", "default": "red"}}},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
        "words": {"type": "object", "maxProperties": 1, "additionalProperties": {"type": "integer"}},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2, "x-kubernetes-list-type": "set"},
        "ports": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
                  "items": {"type": "object", "properties": {"name": {"type": "string"}}}},
        "either": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
                   "oneOf": [{"required": ["a"]}, {"required": ["b"]}]}
      }}}})"),
                                              false);
  EXPECT_TRUE(schema.has_value());
  return schema.value_or(nullptr);
}

Json book(std::string_view spec) { return {{"metadata", {{"name", "typee"}}}, {"spec", parsed(spec)}}; }

std::string complaint(std::string_view spec) { return causes_text(book_schema()->validate(book(spec))); }

// The sentences are those of a real server.
TEST(CrdSchema, ComplainsInTheWordsOfARealServer) {
  EXPECT_EQ(complaint("{}"), "spec.title: Required value");
  EXPECT_EQ(complaint(R"({"title":"x"})"),
            R"(spec.title: Invalid value: "x": spec.title in body should be at least 2 chars long)");
  EXPECT_EQ(complaint(R"({"title":"ABCDEFG"})"), "spec.title: Too long: may not be more than 5 bytes");
  EXPECT_EQ(complaint(R"({"title":"AB"})"),
            R"(spec.title: Invalid value: "AB": spec.title in body should match '^[a-z]+$')");
  EXPECT_EQ(complaint(R"({"title":1})"),
            R"(spec.title: Invalid value: "integer": spec.title in body must be of type string: "integer")");
  EXPECT_EQ(complaint(R"({"title":"ab","pages":11})"),
            "spec.pages: Invalid value: 11: spec.pages in body should be less than or equal to 10");
  EXPECT_EQ(complaint(R"({"title":"ab","genre":"sky"})"),
            R"(spec.genre: Unsupported value: "sky": supported values: "sea", "land")");
  EXPECT_EQ(complaint(R"({"title":"ab","size":true})"),
            R"(spec.size: Invalid value: "boolean": spec.size in body must be of type integer,string: "boolean")");
  EXPECT_EQ(complaint(R"({"title":"ab","tags":["a","b","c"]})"), "spec.tags: Too many: 3: must have at most 2 items");
  EXPECT_EQ(complaint(R"({"title":"ab","tags":["a","a"]})"), R"(spec.tags[1]: Duplicate value: "a")");
  EXPECT_EQ(complaint(R"({"title":"ab","words":{"a":"x"}})"),
            R"(spec.words.a: Invalid value: "string": spec.words.a in body must be of type integer: "string")");
  EXPECT_EQ(complaint(R"({"title":"ab","ports":[{"name":"a"},{"name":"a"}]})"),
            R"(spec.ports[1]: Duplicate value: {"name":"a"})");
  EXPECT_EQ(complaint(R"({"title":"ab","either":{"a":"x","b":"y"}})"),
            R"(<nil>: Invalid value: "": "spec.either" must validate one and only one schema (oneOf). Found 2 valid )"
            "alternatives");
  EXPECT_EQ(complaint(R"({"title":"ab","pages":2.0,"size":"5%","note":null,"either":{"a":"x"}})"), "[]");
}

TEST(CrdSchema, FillsInDefaultsAndForgetsForbiddenNulls) {
  Json object = book(R"({"title":"ab","pages":null,"genre":null,"note":null})");
  book_schema()->set_defaults(object);
  EXPECT_EQ(object["spec"], parsed(R"({"title":"ab","pages":3,"note":null,"cover":{"colour":"red"}})"));
}

TEST(CrdSchema, PrunesWhatItDoesNotKnow) {
  Json object = book(R"({"title":"ab","unknown":1,"cover":{"z":1},"free":{"any":{"thing":[1]}},"ports":[{"x":1}]})");
  object["extra"] = true;
  object["metadata"]["foo"] = 1;
  EXPECT_THAT(book_schema()->prune(object),
              ElementsAre("extra", "metadata.foo", "spec.cover.z", "spec.ports[0].x", "spec.unknown"));
  EXPECT_EQ(object, book(R"({"title":"ab","cover":{},"free":{"any":{"thing":[1]}},"ports":[{}]})"));
}

TEST(CrdSchema, KnowsHowListsAreMerged) {
  using Type = CrdSchema::ListRule::Type;
  EXPECT_EQ(book_schema()->list_rule({"spec", "tags"}).type, Type::kSet);
  EXPECT_THAT(book_schema()->list_rule({"spec", "ports"}).keys, ElementsAre("name"));
  EXPECT_EQ(book_schema()->list_rule({"spec", "nothing", "like"}).type, Type::kAtomic);
}

TEST(CrdSchema, RefusesASchemaThatIsTooDeep) {
  Json schema = {{"type", "string"}};
  for (int i = 0; i < 200; ++i) {
    schema = {{"type", "array"}, {"items", std::move(schema)}};
  }
  const auto result = CrdSchema::parse(schema, false);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code(), Code::kTooLarge);
}

RC_GTEST_PROP(CrdSchema, PruningAndDefaultingTwiceIsOnce,
              (bool title, bool cover, const std::string& extra, int pages)) {
  Json object = book("{}");
  if (title) {
    object["spec"]["title"] = "ab";
  }
  if (cover) {
    object["spec"]["cover"] = {{extra, pages}, {"colour", nullptr}};
  }
  object["spec"][extra] = pages;
  book_schema()->prune(object);
  book_schema()->set_defaults(object);
  Json again = object;
  RC_ASSERT(book_schema()->prune(again).empty());
  book_schema()->set_defaults(again);
  RC_ASSERT(again == object);
}

struct PatternCase {
  const char* pattern;
  const char* text;
  bool matches;
};

TEST(Pattern, MatchesAsGoDoes) {
  const PatternCase cases[] = {
      {"^[a-z]([-a-z0-9]*[a-z0-9])?$", "web-1", true},
      {"^[a-z]([-a-z0-9]*[a-z0-9])?$", "web-", false},
      {"b", "abc", true},
      {"^$", "", true},
      {"^(foo|bar)+$", "foobarfoo", true},
      {"^(foo|bar)+$", "foobaz", false},
      {R"(^\d{1,3}(\.\d{1,3}){3}$)", "10.96.0.1", true},
      {R"(^\d{1,3}(\.\d{1,3}){3}$)", "10.96.0", false},
      {"^a{0}$", "", true},
      {"^[^/]+$", "a/b", false},
      {"^.$", "ü", true},
      {"^.$", "\n", false},
      {R"(\bdog\b)", "a dog!", true},
      {R"(\bdog\b)", "dogma", false},
      {"^[[:alpha:]_]+$", "a_B", true},
      {"^a{x}$", "a{x}", true},
      {R"(^\x41[\]\-]$)", "A-", true},
  };
  for (const PatternCase& one : cases) {
    const auto pattern = Pattern::compile(one.pattern);
    ASSERT_TRUE(pattern.has_value()) << one.pattern;
    EXPECT_EQ(pattern->matches(one.text), one.matches) << one.pattern << " on " << one.text;
  }
}

TEST(Pattern, TellsWrongFromUnsupported) {
  for (const char* const wrong : {"(", "a)", "[a", "a**", "*", "[z-a]", "a{2000}", "\\", R"(\y)"}) {
    const auto pattern = Pattern::compile(wrong);
    ASSERT_FALSE(pattern.has_value()) << wrong;
    EXPECT_EQ(pattern.error().code(), Code::kInvalid) << wrong;
  }
  EXPECT_EQ(Pattern::compile("(?i)a").error().code(), Code::kUnsupported);
  EXPECT_EQ(Pattern::compile(R"(\p{Greek})").error().code(), Code::kUnsupported);
}

TEST(Pattern, StaysSmallAndFast) {
  EXPECT_EQ(Pattern::compile("((a{100}){100}){100}").error().code(), Code::kTooLarge);
  EXPECT_EQ(Pattern::compile("(((){1000}){1000}){1000}").error().code(), Code::kTooLarge);
  const auto evil = Pattern::compile("^(a+)+$");
  ASSERT_TRUE(evil.has_value());
  EXPECT_FALSE(evil->matches(std::string(20000, 'a') + "!"));
}

}  // namespace
}  // namespace landfall::sandbox
