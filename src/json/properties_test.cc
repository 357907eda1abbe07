#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "json/json.h"
#include "json/parse.h"
#include "json/patch.h"
#include "json/test_values.h"
#include "json/yaml.h"

namespace landfall::json {
namespace {

RC_GTEST_PROP(Json, ReadsBackWhatItWrites, ()) {
  const Json document = *arbitrary_json();
  RC_ASSERT(parse(dump(document)).value() == document);
  RC_ASSERT(parse(dump_pretty(document)).value() == document);
  RC_ASSERT(parse(dump_go(document)).value() == document);
}

RC_GTEST_PROP(Yaml, ReadsBackWhatItWrites, ()) {
  const Json document = *arbitrary_json();
  RC_ASSERT(parse_yaml(to_yaml(document)).value() == document);
  RC_ASSERT(parse_yaml(to_yaml(document, YamlLines::kWrapped)).value() == document);
}

RC_GTEST_PROP(Yaml, ReadsJsonAsJson, ()) {
  const Json document = *arbitrary_json();
  RC_ASSERT(parse_yaml(dump(document)).value() == document);
}

RC_GTEST_PROP(MergePatch, TurnsOneObjectIntoTheOther, ()) {
  const Json from = *arbitrary_object();
  const Json to = *arbitrary_object(Nulls::kNone);
  RC_ASSERT(apply_merge_patch(from, create_merge_patch(from, to)).value() == to);
}

RC_GTEST_PROP(MergePatch, IsEmptyForEqualObjects, ()) {
  const Json document = *arbitrary_object();
  RC_ASSERT(create_merge_patch(document, document) == Json::object());
}

RC_GTEST_PROP(Differences, AreEmptyExactlyForEqualDocuments, ()) {
  const Json a = *arbitrary_json(2);
  const Json b = *arbitrary_json(2);
  RC_ASSERT(differences(a, a).empty());
  RC_ASSERT(differences(a, b).empty() == (a == b));
}

// Paths that often exist, with some that cannot.
rc::Gen<std::string> arbitrary_path() {
  const auto keys = rc::gen::elementOf(std::vector<std::string>{"/a", "/b", "/0", "/1", "/-", "/-1", "/~01", "/", "x"});
  return rc::gen::map(rc::gen::resize(4, rc::gen::container<std::vector<std::string>>(keys)), [](const auto& parts) {
    std::string path;
    for (const std::string& part : parts) path += part;
    return path;
  });
}

rc::Gen<Json> arbitrary_operation() {
  const auto kinds =
      rc::gen::elementOf(std::vector<std::string>{"add", "remove", "replace", "move", "copy", "test", "none"});
  return rc::gen::map(rc::gen::tuple(kinds, arbitrary_path(), arbitrary_path(), arbitrary_json(2)), [](const auto& t) {
    return Json{{"op", std::get<0>(t)}, {"path", std::get<1>(t)}, {"from", std::get<2>(t)}, {"value", std::get<3>(t)}};
  });
}

RC_GTEST_PROP(JsonPatch, NeverChangesItsInput, ()) {
  const Json document = Json::parse(R"({"a":{"a":[1,{"b":2}],"b":"x"},"b":[{"a":1},[2,3]],"0":null})");
  const Json patch = *rc::gen::resize(5, rc::gen::container<std::vector<Json>>(arbitrary_operation()));
  const Json before = document;
  const auto result = apply_json_patch(document, patch);
  RC_ASSERT(document == before);
  if (!result) RC_TAG(std::string("failed"));
}

}  // namespace
}  // namespace landfall::json
