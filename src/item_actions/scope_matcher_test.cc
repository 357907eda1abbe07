#include "item_actions/scope_matcher.h"

#include <gtest/gtest.h>

#include "selection/test_discovery.h"

namespace landfall::item_actions {
namespace {

using extension::ActionScope;

const k8s::GroupResource kPods{"", "pods"};
const k8s::GroupResource kDeployments{"apps", "deployments"};
const k8s::GroupResource kNodes{"", "nodes"};

ScopeMatcher matcher(const ActionScope& scope) {
  return ScopeMatcher::make(scope, selection::test_discovery()).value();
}

std::optional<std::string_view> no_labels(const std::string& /*key*/) { return {}; }

TEST(ScopeMatcher, FindsResourcesByWhatPeopleWrite) {
  const ScopeMatcher some = matcher({.included_resources = {"po", "Deployment.apps"}});
  EXPECT_TRUE(some.matches_resource(kPods));
  EXPECT_TRUE(some.matches_resource(kDeployments));
  EXPECT_FALSE(some.matches_resource({"extensions", "deployments"}));
  EXPECT_FALSE(some.matches(kNodes, "", no_labels));
}

TEST(ScopeMatcher, WithoutListsTakesEverything) {
  const ScopeMatcher all = matcher({});
  EXPECT_TRUE(all.matches(kPods, "shop", no_labels));
  EXPECT_TRUE(all.matches(kNodes, "", no_labels));
  EXPECT_FALSE(matcher({.excluded_resources = {"no"}}).matches_resource(kNodes));
}

TEST(ScopeMatcher, ANameThatTheServerDoesNotKnowMatchesNothingRatherThanEverything) {
  EXPECT_FALSE(matcher({.included_resources = {"gadgets.example.com"}}).matches_resource(kPods));
}

TEST(ScopeMatcher, NamespacesKeepClusterScopedObjectsOut) {
  const ScopeMatcher shops = matcher({.included_namespaces = {"shop-*"}});
  EXPECT_TRUE(shops.matches(kPods, "shop-1", no_labels));
  EXPECT_FALSE(shops.matches(kPods, "bank", no_labels));
  EXPECT_FALSE(shops.matches(kNodes, "", no_labels));
  EXPECT_FALSE(matcher({.excluded_namespaces = {"bank"}}).matches(kNodes, "", no_labels));
  EXPECT_TRUE(matcher({.included_namespaces = {"*"}}).matches(kNodes, "", no_labels));
}

TEST(ScopeMatcher, AsksForLabels) {
  const ScopeMatcher web = matcher({.label_selector = "app in (web,api)"});
  EXPECT_TRUE(web.matches(kPods, "shop", [](const std::string& key) -> std::optional<std::string_view> {
    return key == "app" ? std::optional<std::string_view>("web") : std::nullopt;
  }));
  EXPECT_FALSE(web.matches(kPods, "shop", no_labels));
}

TEST(ScopeMatcher, RefusesWhatItCannotRead) {
  const auto discovery = selection::test_discovery();
  const auto selector = ScopeMatcher::make({.label_selector = "app in"}, discovery);
  ASSERT_FALSE(selector);
  EXPECT_EQ(selector.error().code(), Code::kInvalid);
  EXPECT_FALSE(ScopeMatcher::make({.included_namespaces = {"[a"}}, discovery));
}

}  // namespace
}  // namespace landfall::item_actions
