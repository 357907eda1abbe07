#include "stories/contents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace landfall::stories {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Item config_map(const std::string& name, const json::Json& data) {
  return {.ref = {.resource = {"", "configmaps"}, .name_space = "shop", .name = name}, .object = {{"data", data}}};
}

TEST(Contents, DifferencesAreNamedByTheirPlace) {
  EXPECT_THAT(differences({config_map("same", {{"a", "1"}}), config_map("theirs", {}),
                           config_map("both", {{"list", {1, 2}}, {"a", "1"}, {"b", "1"}})},
                          {config_map("ours", {}), config_map("same", {{"a", "1"}}),
                           config_map("both", {{"list", {1}}, {"a", "2"}, {"c", "1"}})}),
              ElementsAre("configmaps shop/both: data.a: \"1\" became \"2\"", "configmaps shop/both: data.b: missing",
                          "configmaps shop/both: data.c: additional", "configmaps shop/both: data.list[1]: missing",
                          "configmaps shop/theirs: missing", "configmaps shop/ours: additional"));
}

TEST(Contents, OfSeveralWithOneNameEachCounts) {
  const Item pod = config_map("web-*", {{"a", "1"}});
  EXPECT_THAT(differences({pod, pod}, {pod}), ElementsAre("configmaps shop/web-*: missing"));
}

TEST(Contents, EveryDifferenceNeedsAReasonAndEveryReasonADifference) {
  const std::vector<std::string> found = {"pods shop/web: spec.volumes[2]: missing", "events shop/a: missing"};
  EXPECT_THAT(unexplained(found, {{"pods *: spec.volumes[2]: missing", ""}, {"events *: missing", ""}}), IsEmpty());
  EXPECT_THAT(unexplained(found, {{"pods *: missing", ""}, {"events *: additional", ""}}),
              ElementsAre("not in the list: events shop/a: missing",
                          "in the list, but there is no such difference: events *: additional"));
}

}  // namespace
}  // namespace landfall::stories
