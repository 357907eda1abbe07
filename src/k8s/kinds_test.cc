#include "k8s/kinds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <compare>
#include <vector>

namespace landfall::k8s {
namespace {

TEST(GroupVersion, IsReadAsAnApiVersionField) {
  EXPECT_EQ(parse_group_version("apps/v1"), (GroupVersion{"apps", "v1"}));
  EXPECT_EQ(parse_group_version("v1"), (GroupVersion{"", "v1"}));
  EXPECT_EQ(parse_group_version("/v1"), (GroupVersion{"", "v1"}));
  EXPECT_EQ(parse_group_version("apps/"), (GroupVersion{"apps", ""}));
}

TEST(GroupVersion, IsEmptyForNoTextAndForALoneSlash) {
  EXPECT_EQ(parse_group_version(""), GroupVersion{});
  EXPECT_EQ(parse_group_version("/"), GroupVersion{});
}

TEST(GroupVersion, RefusesASecondSlash) {
  const auto parsed = parse_group_version("a/b/c");

  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error(), Error(Code::kInvalid, "unexpected GroupVersion string: a/b/c"));
}

TEST(GroupResource, TakesEverythingBehindTheFirstDotForTheGroup) {
  EXPECT_EQ(parse_group_resource("volumesnapshots.snapshot.storage.k8s.io"),
            (GroupResource{"snapshot.storage.k8s.io", "volumesnapshots"}));
  EXPECT_EQ(parse_group_resource("pods"), (GroupResource{"", "pods"}));
  EXPECT_EQ(parse_group_resource("pods."), (GroupResource{"", "pods"}));
  EXPECT_EQ(parse_group_resource(".apps"), (GroupResource{"apps", ""}));
  EXPECT_EQ(parse_group_resource(""), GroupResource{});
}

TEST(Kinds, PrintAsKubernetesPrintsThem) {
  EXPECT_EQ(to_string(GroupVersion{"apps", "v1"}), "apps/v1");
  EXPECT_EQ(to_string(GroupVersion{"", "v1"}), "v1");
  EXPECT_EQ(to_string(GroupResource{"apps", "deployments"}), "deployments.apps");
  EXPECT_EQ(to_string(GroupResource{"", "pods"}), "pods");
  EXPECT_EQ(to_string(parse_group_kind("Deployment.apps")), "Deployment.apps");
  EXPECT_EQ(to_string(GroupVersionKind{"apps", "v1", "Deployment"}), "apps/v1, Kind=Deployment");
  EXPECT_EQ(to_string(GroupVersionResource{"", "v1", "pods"}), "/v1, Resource=pods");
}

TEST(GroupVersionKind, KeepsTheKindOfAnApiVersionThatCannotBeRead) {
  EXPECT_EQ(kind_of("apps/v1", "Deployment"), (GroupVersionKind{"apps", "v1", "Deployment"}));
  EXPECT_EQ(kind_of("a/b/c", "Deployment"), (GroupVersionKind{"", "", "Deployment"}));
}

TEST(CompareVersions, PrefersStableThenBetaThenAlphaThenTheRest) {
  const std::vector<std::string> best_first{"v10",       "v2",        "v1",   "v11beta2", "v10beta3", "v3beta1",
                                            "v12alpha1", "v11alpha2", "foo1", "foo10",    "v1beta",   "version"};
  std::vector<std::string> sorted = best_first;
  std::ranges::reverse(sorted);

  std::ranges::sort(sorted, [](const std::string& a, const std::string& b) { return compare_versions(a, b) > 0; });

  EXPECT_EQ(sorted, best_first);
}

TEST(CompareVersions, SeesNoDifferenceBetweenLeadingZeros) { EXPECT_TRUE(std::is_eq(compare_versions("v1", "v01"))); }

TEST(CompareVersions, TakesANumberThatIsTooLargeForNoVersion) {
  EXPECT_TRUE(std::is_lt(compare_versions("v9223372036854775808", "v1alpha1")));
  EXPECT_TRUE(std::is_gt(compare_versions("v9223372036854775807", "v1")));
}

rc::Gen<std::string> any_version() {
  const auto part = [](std::vector<std::string> texts) { return rc::gen::elementOf(std::move(texts)); };
  return rc::gen::apply([](const std::string& a, const std::string& b, const std::string& c,
                           const std::string& d) { return a + b + c + d; },
                        part({"v", "v", "v", "x", ""}), part({"1", "2", "10", "01", ""}),
                        part({"", "alpha", "beta", "rc"}), part({"", "1", "2", "11"}));
}

RC_GTEST_PROP(CompareVersions, IsAnOrder, ()) {
  const auto a = *any_version();
  const auto b = *any_version();
  const auto c = *any_version();

  RC_ASSERT(std::is_eq(compare_versions(a, a)));
  RC_ASSERT(std::is_lt(compare_versions(a, b)) == std::is_gt(compare_versions(b, a)));
  if (std::is_lteq(compare_versions(a, b)) && std::is_lteq(compare_versions(b, c))) {
    RC_ASSERT(std::is_lteq(compare_versions(a, c)));
  }
}

}  // namespace
}  // namespace landfall::k8s
