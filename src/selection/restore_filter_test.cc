#include "selection/restore_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/json.h"
#include "json/yaml.h"
#include "selection/resource_policies.h"
#include "selection/test_discovery.h"

namespace landfall::selection {
namespace {

using json::Json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::SizeIs;

// Specs are written as YAML here.
RestoreFilterSpec spec_of(std::string_view spec) {
  Messages problems;
  RestoreFilterSpec read = read_restore_filter_spec(json::parse_yaml(spec).value(), problems);
  EXPECT_THAT(problems, IsEmpty());
  return read;
}

RestoreFilter filter_of(std::string_view spec, const char* policies = "version: v1") {
  const auto parsed = parse_resource_policies(policies);
  return RestoreFilter::make(completed(spec_of(spec)), &*parsed, test_discovery()).value();
}

Json object(const char* name_space, const Json& labels = Json::object()) {
  return {{"metadata", {{"name", "x"}, {"namespace", name_space}, {"labels", labels}}}};
}

Reason ask(const RestoreFilter& filter, const char* resource, const Json& item, Met met = Met::kDirectly) {
  const Verdict verdict = filter.item(item_facts(k8s::parse_group_resource(resource), item), met);
  EXPECT_EQ(verdict.why().empty(), verdict.is_in()) << "every reason can be shown";
  return verdict.reason();
}

TEST(RestoreFilter, WithoutFiltersEverythingIsInButWhatIsNeverRestored) {
  const RestoreFilter filter = filter_of("{}");
  EXPECT_EQ(ask(filter, "pods", object("shop")), Reason::kSelected);
  EXPECT_EQ(ask(filter, "storageclasses.storage.k8s.io", object("")), Reason::kSelected);
  EXPECT_EQ(ask(filter, "widgets.example.com", object("shop")), Reason::kSelected);
  for (const char* never :
       {"nodes", "events", "events.events.k8s.io", "backups.velero.io", "csinodes.storage.k8s.io"}) {
    EXPECT_EQ(ask(filter, never, object("")), Reason::kNeverRestored) << never;
  }
}

TEST(RestoreFilter, WhatIsNeverRestoredIsStoredAmongTheExcludes) {
  const RestoreFilterSpec spec = completed(spec_of("excludedResources: [secrets, nodes]"));
  EXPECT_THAT(spec.excluded_resources, IsSupersetOf(never_restored()));
  EXPECT_THAT(spec.excluded_resources, SizeIs(never_restored().size() + 1));
  EXPECT_THAT(completed(spec).excluded_resources, SizeIs(never_restored().size() + 1));
  EXPECT_THAT(restore_filter_problems(spec, nullptr), IsEmpty());
}

TEST(RestoreFilter, ResourcesAreResolvedByTheServer) {
  const RestoreFilter filter = filter_of("includedResources: [deploy, sc, widgets.example.com]");
  EXPECT_EQ(ask(filter, "deployments.apps", object("shop")), Reason::kSelected);
  EXPECT_EQ(ask(filter, "widgets.example.com", object("shop")), Reason::kSelected);
  EXPECT_EQ(ask(filter, "pods", object("shop")), Reason::kResourceNotIncluded);
  EXPECT_EQ(ask(filter_of("excludedResources: [secret]"), "secrets", object("shop")), Reason::kResourceExcluded);
}

TEST(RestoreFilter, SomeNamespacesLeaveClusterScopedItemsOutUnlessAskedFor) {
  const RestoreFilter some = filter_of("excludedNamespaces: [kube-*]");
  EXPECT_EQ(ask(some, "pods", object("kube-system")), Reason::kNamespaceExcluded);
  EXPECT_EQ(ask(some, "pods", object("shop")), Reason::kSelected);
  EXPECT_EQ(ask(some, "clusterroles", object("")), Reason::kClusterScoped);
  EXPECT_EQ(ask(some, "clusterroles", object(""), Met::kAsAdditionalItem), Reason::kSelected);

  const RestoreFilter off = filter_of("includeClusterResources: false");
  EXPECT_EQ(ask(off, "clusterroles", object(""), Met::kAsAdditionalItem), Reason::kClusterScoped);
  EXPECT_EQ(ask(off, "clusterroles", object(""), Met::kAsMustInclude), Reason::kSelected);

  const RestoreFilter on = filter_of("{includeClusterResources: true, includedNamespaces: [shop]}");
  EXPECT_EQ(ask(on, "clusterroles", object("")), Reason::kSelected);
  EXPECT_EQ(ask(on, "pods", object("other")), Reason::kNamespaceNotIncluded);
}

TEST(RestoreFilter, DataUploadsPassEveryFilter) {
  const RestoreFilter filter =
      filter_of("{includedResources: [pods], includedNamespaces: [shop], labelSelector: {matchLabels: {app: web}}}");
  EXPECT_EQ(ask(filter, "datauploads.velero.io", object("velero")), Reason::kSelected);
}

TEST(RestoreFilter, LabelSelectorsAreForWhatIsMetDirectly) {
  const RestoreFilter filter = filter_of("labelSelector: {matchLabels: {app: web}}");
  EXPECT_EQ(ask(filter, "pods", object("shop", {{"app", "web"}})), Reason::kSelected);
  EXPECT_EQ(ask(filter, "pods", object("shop")), Reason::kLabelsDoNotMatch);
  EXPECT_EQ(ask(filter, "pods", object("shop"), Met::kAsAdditionalItem), Reason::kSelected);
  const RestoreFilter either = filter_of("orLabelSelectors: [{matchLabels: {app: web}}, {matchLabels: {app: db}}]");
  EXPECT_EQ(ask(either, "pods", object("shop", {{"app", "db"}})), Reason::kSelected);
  EXPECT_EQ(ask(either, "pods", object("shop", {{"app", "x"}})), Reason::kLabelsDoNotMatch);
}

TEST(RestoreFilter, FinishedAndMirrorPodsAreNotRestored) {
  const RestoreFilter filter = filter_of("{}");
  Json pod = object("shop");
  pod["status"]["phase"] = "Succeeded";
  EXPECT_EQ(ask(filter, "pods", pod, Met::kAsMustInclude), Reason::kCompleted);
  pod["status"]["phase"] = "Running";
  EXPECT_EQ(ask(filter, "pods", pod), Reason::kSelected);
  pod["metadata"]["annotations"]["kubernetes.io/config.mirror"] = "abc";
  EXPECT_EQ(ask(filter, "pods", pod), Reason::kMirrorPod);
  Json job = object("shop");
  job["status"]["completionTime"] = "2026-01-01T00:00:00Z";
  EXPECT_EQ(ask(filter, "jobs.batch", job), Reason::kCompleted);
  EXPECT_EQ(ask(filter, "widgets.example.com", job), Reason::kSelected);
}

TEST(RestoreFilter, PoliciesRefineARestore) {
  const RestoreFilter filter = filter_of("{}", R"(
version: v1
namespacedFilterPolicies:
- namespaces: [shop]
  resourceFilters:
  - kinds: [Widget, secrets]
    names: ["x*"]
)");
  Json widget = object("shop");
  widget["kind"] = "Widget";
  EXPECT_EQ(ask(filter, "widgets.example.com", widget), Reason::kSelected) << "known by the kind of the object";
  EXPECT_EQ(ask(filter, "secrets", object("shop")), Reason::kSelected);
  EXPECT_EQ(ask(filter, "pods", object("shop")), Reason::kExcludedByPolicy);
  EXPECT_EQ(ask(filter, "pods", object("other")), Reason::kSelected);
  EXPECT_EQ(ask(filter, "pods", object("shop"), Met::kAsAdditionalItem), Reason::kSelected);
}

TEST(RestoreFilter, MapsNamespaces) {
  const RestoreFilter filter = filter_of("namespaceMapping: {shop: shop-copy}");
  EXPECT_EQ(filter.target_namespace("shop"), "shop-copy");
  EXPECT_EQ(filter.target_namespace("other"), "other");
  EXPECT_EQ(filter.target_namespace(""), "");
}

TEST(RestoreFilter, RestoresAStatusOnlyWhereAsked) {
  const k8s::GroupResource pods = {"", "pods"};
  EXPECT_FALSE(filter_of("{}").restores_status(pods, std::nullopt));
  EXPECT_TRUE(filter_of("{}").restores_status(pods, " True"));
  const RestoreFilter all = filter_of("restoreStatus: {excludedResources: [deploy]}");
  EXPECT_TRUE(all.restores_status(pods, "maybe"));
  EXPECT_FALSE(all.restores_status(pods, "false"));
  EXPECT_FALSE(all.restores_status({"apps", "deployments"}, std::nullopt));
}

TEST(RestoreFilter, TellsAllThatIsWrongAtOnce) {
  const auto policies = parse_resource_policies("{version: v1, volumePolicies: [{action: {type: skip}}]}");
  EXPECT_THAT(restore_filter_problems(spec_of("{includedResources: [nodes, '*'], excludedNamespaces: ['*'], "
                                              "namespaceMapping: {a: ''}, labelSelector: {}, "
                                              "orLabelSelectors: [{}]}"),
                                      &*policies),
              SizeIs(6));
  EXPECT_THAT(restore_filter_problems(spec_of("includedResources: [events]"), nullptr),
              ElementsAre(HasSubstr("\"events\" are never restored")));
  EXPECT_FALSE(RestoreFilter::make(spec_of("includedResources: [events]"), nullptr, test_discovery()));
}

}  // namespace
}  // namespace landfall::selection
