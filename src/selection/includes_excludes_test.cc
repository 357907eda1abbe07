#include "selection/includes_excludes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "selection/list_rules.h"

namespace landfall::selection {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

rc::Gen<Names> any_names() {
  return rc::gen::resize(5, rc::gen::container<Names>(rc::gen::element<std::string>(
                                "pods", "secrets", "jobs.batch", "*.batch", "*", "s*", "[pj]*", "po?s")));
}
rc::Gen<std::string> any_name() {
  return rc::gen::element<std::string>("pods", "secrets", "services", "jobs.batch", "*.batch", "");
}

RC_GTEST_PROP(IncludesExcludes, ExcludesWinAndNoIncludesMeanEverything, ()) {
  const Names includes = *any_names();
  const Names excludes = *any_names();
  const std::string name = *any_name();
  const auto matches_any = [&](const Names& patterns) {
    return std::ranges::any_of(patterns, [&](const std::string& p) { return Glob::compile(p)->matches(name); });
  };
  const auto lists = IncludesExcludes::make(includes, excludes);
  RC_ASSERT(lists->is_in(name) == (!matches_any(excludes) && (includes.empty() || matches_any(includes))));
  RC_ASSERT((lists->ask(name).excluded_by != nullptr) == matches_any(excludes));
}

RC_GTEST_PROP(IncludesExcludes, MoreExcludesNeverTakeMore, ()) {
  const Names includes = *any_names();
  Names excludes = *any_names();
  const std::string name = *any_name();
  const bool before = IncludesExcludes::make(includes, excludes)->is_in(name);
  excludes.push_back(*any_name());
  const bool after = IncludesExcludes::make(includes, excludes)->is_in(name);
  RC_ASSERT(before || !after);
}

RC_GTEST_PROP(IncludesExcludes, WhatIsEverythingLeavesNothingOut, ()) {
  const auto lists = IncludesExcludes::make(*any_names(), *any_names());
  RC_ASSERT(!lists->is_everything() || lists->is_in(*any_name()));
}

TEST(IncludesExcludes, SaysWhichPatternExcludes) {
  const auto lists = IncludesExcludes::make({"*"}, {"kube-*"});
  EXPECT_EQ(*lists->ask("kube-system").excluded_by, "kube-*");
  EXPECT_FALSE(lists->is_everything());
  EXPECT_TRUE(IncludesExcludes::make({"*"}, {})->is_everything());
}

TEST(IncludesExcludes, RefusesAPatternThatCannotBeRead) {
  const auto lists = IncludesExcludes::make({}, {"[", "secrets"});
  ASSERT_FALSE(lists);
  EXPECT_THAT(lists.error().message(), HasSubstr("excluded: pattern \"[\""));
}

TEST(ListRules, AStarStandsAloneAndOnlyAmongIncludes) {
  EXPECT_THAT(list_problems({"*"}, {"secrets"}), IsEmpty());
  EXPECT_THAT(list_problems({"*", "pods"}, {"*"}),
              ElementsAre("'*' must be the only item of the include list", "'*' is not allowed in the exclude list",
                          "\"*\" is both included and excluded"));
}

TEST(ListRules, NothingMayBeInBoth) {
  EXPECT_THAT(list_problems({"pods", "jobs"}, {"pods", "jobs", "secrets"}),
              ElementsAre("\"jobs\" is both included and excluded", "\"pods\" is both included and excluded"));
}

TEST(ListRules, AStarMayExcludeAllOfOneScopeIfNothingIsIncluded) {
  EXPECT_THAT(scoped_list_problems({}, {"*"}), IsEmpty());
  EXPECT_THAT(scoped_list_problems({"pods"}, {"*"}),
              ElementsAre("with '*' in the exclude list the include list must be empty"));
  EXPECT_THAT(scoped_list_problems({"*", "a"}, {"*", "b"}), SizeIs(4));
}

TEST(ListRules, VeryLongListsAreNotToldInFull) {
  Names names;
  for (int i = 0; i < 1500; ++i) {
    names.push_back("a" + std::to_string(i) + "*");
  }
  EXPECT_THAT(list_problems(names, {}), ElementsAre("1500 patterns in one list; at most 1000 are allowed"));
  Messages told;
  add_problems(told, "resources", list_problems(names, names));
  EXPECT_THAT(told, SizeIs(21));
  EXPECT_EQ(told.back(), "resources: and 1482 more problems");
}

TEST(ListRules, NamespacesMayBePatterns) {
  for (const char* good : {"", "shop", "*", "*-prod", "shop-?", "shop-[abc]", "[a-c]x"}) {
    EXPECT_THAT(namespace_pattern_problems(good), IsEmpty()) << good;
  }
  for (const char* bad :
       {"a|b", "(a)", "!a", "{a,b}", "a,b", "a**", "[", "a]", "[]", "[a", "a.b", "Shop", "-a", "[c-a]", "[a-cx]"}) {
    EXPECT_THAT(namespace_pattern_problems(bad), SizeIs(1)) << bad;
  }
  EXPECT_THAT(namespace_list_problems({"Shop", "a**"}, {"kube-*", "[]"}), SizeIs(3)) << "all of them are told";
}

}  // namespace
}  // namespace landfall::selection
