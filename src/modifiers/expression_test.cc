#include "modifiers/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

namespace landfall::modifiers {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> matching(std::string_view pattern, const std::vector<std::string>& texts) {
  const auto glob = Expression::resource_glob(pattern).value();
  std::vector<std::string> found;
  for (const std::string& text : texts) {
    if (glob.matches(text)) found.push_back(text);
  }
  return found;
}

// What Velero's own matcher (gobwas/glob with '.' as separator) says to these.
TEST(ResourceGlob, TreatsADotAsABorder) {
  const std::vector<std::string> all = {
      "pods", "deployments.apps", "volumesnapshots.snapshot.storage.k8s.io", "a.c", "..b", "a*", "pods.metrics"};
  EXPECT_THAT(matching("*", all), ElementsAre("pods", "a*"));
  EXPECT_THAT(matching("**", all), testing::ElementsAreArray(all));
  EXPECT_THAT(matching("***", all), testing::ElementsAreArray(all));
  EXPECT_THAT(matching("*.apps", all), ElementsAre("deployments.apps"));
  EXPECT_THAT(matching("**.io", all), ElementsAre("volumesnapshots.snapshot.storage.k8s.io"));
  EXPECT_THAT(matching("*.io", all), IsEmpty());
  EXPECT_THAT(matching("pods**", all), ElementsAre("pods", "pods.metrics"));
  EXPECT_THAT(matching("?ods", all), ElementsAre("pods"));
  EXPECT_THAT(matching("a?c", all), IsEmpty());
  EXPECT_THAT(matching("a[!b]c", all), ElementsAre("a.c"));
  EXPECT_THAT(matching("a[+-/]c", all), ElementsAre("a.c"));
  EXPECT_THAT(matching("{pods,*.apps}", all), ElementsAre("pods", "deployments.apps"));
  EXPECT_THAT(matching("{pods,a.c", all), ElementsAre("pods", "a.c"));
  EXPECT_THAT(matching("a\\*", all), ElementsAre("a*"));
  EXPECT_THAT(matching("pod", all), IsEmpty());
}

TEST(ResourceGlob, NamesThePlaceOfWhatIsWrong) {
  const auto error_of = [](std::string_view pattern) { return Expression::resource_glob(pattern).error().message(); };
  EXPECT_THAT(error_of("pods[a"), HasSubstr(R"(pattern "pods[a": at byte 4: the set is not closed)"));
  EXPECT_THAT(error_of("[]"), HasSubstr("the set is empty"));
  EXPECT_THAT(error_of("[a-cx]"), HasSubstr("must be alone in its set"));
  EXPECT_THAT(error_of("[z-a]"), HasSubstr("[z-a]"));
  EXPECT_THAT(error_of("a\xff"), HasSubstr("at byte 1: not readable as text"));
  EXPECT_THAT(error_of(std::string(2000, 'a')), HasSubstr("longer than"));
}

RC_GTEST_PROP(ResourceGlob, MatchesEveryTextThatIsEscaped, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::inRange<char>(1, 127));
  std::string pattern;
  for (const char c : text) pattern += {'\\', c};
  const auto glob = Expression::resource_glob(pattern);
  RC_ASSERT(glob.has_value());
  RC_ASSERT(glob->matches(text));
  RC_ASSERT(!glob->matches(text + "x"));
}

TEST(NameRegex, IsFoundAnywhereUnlessItSaysOtherwise) {
  EXPECT_TRUE(Expression::regex("web")->matches("my-web-0"));
  EXPECT_FALSE(Expression::regex("^web")->matches("my-web-0"));
  EXPECT_TRUE(Expression::regex("^my-.*-[0-9]+$")->matches("my-web-12"));
  EXPECT_TRUE(Expression::regex("^(?i)MY")->matches("my-web-0"));
  EXPECT_TRUE(Expression::regex(R"(\d{1,3}$)")->matches("my-web-0"));
}

TEST(NameRegex, RefusesWhatGoRefuses) {
  EXPECT_THAT(Expression::regex("a(b").error().message(), HasSubstr(R"(expression "a(b": missing )"));
  EXPECT_FALSE(Expression::regex(R"((a)\1)"));  // no back references: matching stays linear
  EXPECT_FALSE(Expression::regex("(?=a)"));
  EXPECT_FALSE(Expression::regex("((a{1000}){1000}){1000}"));
  EXPECT_FALSE(Expression::regex(std::string(5000, 'a')));
}

}  // namespace
}  // namespace landfall::modifiers
