#include "selection/collection_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "selection/ordered_resources.h"
#include "selection/restore_priorities.h"
#include "selection/test_discovery.h"

namespace landfall::selection {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string id_of(const kube::ApiResource* resource) { return k8s::to_string(resource->id.group_resource()); }

TEST(CollectionOrder, PodsClaimsAndVolumesFirstExtensionsLast) {
  const kube::Discovery discovery = test_discovery();
  std::vector<std::string> ids;
  for (const kube::ApiResource* resource : collection_order(discovery)) {
    ids.push_back(id_of(resource));
  }
  EXPECT_THAT(
      ids,
      ElementsAre("pods", "persistentvolumeclaims", "persistentvolumes", "configmaps", "events", "namespaces", "nodes",
                  "secrets", "deployments.apps", "events.events.k8s.io", "jobs.batch", "storageclasses.storage.k8s.io",
                  "customresourcedefinitions.apiextensions.k8s.io", "volumesnapshots.snapshot.storage.k8s.io",
                  "volumesnapshotcontents.snapshot.storage.k8s.io", "deployments.extensions", "ingresses.extensions"));
}

std::vector<std::string> left_out(const kube::Discovery& discovery, const std::string& excluded) {
  std::vector<std::string> ids;
  for (const PlannedResource& planned : plan_collection(discovery, [&](const kube::ApiResource& resource) {
         return id_of(&resource) == excluded ? Verdict::out(Reason::kResourceExcluded, "excluded") : Verdict::in();
       })) {
    if (!planned.verdict) {
      ids.push_back(id_of(planned.resource) + " " + std::string(to_string(planned.verdict.reason())));
    }
  }
  return ids;
}

TEST(CollectionOrder, ObjectsThatTwoGroupsServeAreCollectedOnce) {
  EXPECT_THAT(left_out(test_discovery(), ""),
              ElementsAre("events.events.k8s.io StoredUnderAnotherGroup",
                          "deployments.extensions StoredUnderAnotherGroup", "bindings NotListable"));
  EXPECT_THAT(
      left_out(test_discovery(), "events"),
      ElementsAre("events ResourceExcluded", "deployments.extensions StoredUnderAnotherGroup", "bindings NotListable"))
      << "the other group takes the place of one that is excluded";
}

TEST(OrderedResources, ReadsTheCommandLinesForm) {
  const auto parsed = parse_ordered_resources("pods=shop/db, shop/web ; persistentvolumes=pv1,pv2");
  ASSERT_TRUE(parsed);
  EXPECT_THAT(ordered_names(*parsed, {"", "pods"}), ElementsAre("shop/db", "shop/web"));
  EXPECT_THAT(ordered_names(*parsed, {"", "persistentvolumes"}), ElementsAre("pv1", "pv2"));
  EXPECT_THAT(ordered_names(*parsed, {"", "secrets"}), IsEmpty());
  EXPECT_THAT(*parse_ordered_resources(""), IsEmpty());
  for (const char* bad : {"pods", "pods=a;", "pods=a=b", "=a"}) {
    EXPECT_FALSE(parse_ordered_resources(bad)) << bad;
  }
}

TEST(OrderedResources, PutsTheNamedOnesFirstAndKeepsTheRestInOrder) {
  const std::vector<k8s::NamespacedName> items = {{"a", "1"}, {"a", "2"}, {"b", "1"}, {"a", "2"}, {"", "c"}};
  const Ordering ordering = order_items(items, {"b/1", "a/2", "gone", "b/1"});
  EXPECT_THAT(ordering.order, ElementsAre(2, 1, 0, 3, 4));
  EXPECT_EQ(ordering.ordered, 2U);
  EXPECT_THAT(ordering.unknown, ElementsAre("gone"));
  EXPECT_THAT(order_items(items, {}).order, ElementsAre(0, 1, 2, 3, 4));
}

TEST(RestorePriorities, ReadTheFlag) {
  const auto both = RestorePriorities::parse("crd,pods,-,services");
  EXPECT_THAT(both->high, ElementsAre("crd", "pods"));
  EXPECT_THAT(both->low, ElementsAre("services"));
  EXPECT_EQ(both->to_string(), "crd,pods,-,services");
  EXPECT_EQ(RestorePriorities::parse("pods")->low, RestorePriorities::defaults().low);
  EXPECT_EQ(RestorePriorities::parse("-,pods")->high, RestorePriorities::defaults().high);
  EXPECT_EQ(*RestorePriorities::parse("-"), RestorePriorities::defaults());
  EXPECT_FALSE(RestorePriorities::parse("a,-,b,-"));
  EXPECT_FALSE(RestorePriorities::parse("a,,b"));
  EXPECT_EQ(*RestorePriorities::parse(RestorePriorities::defaults().to_string()), RestorePriorities::defaults());
}

TEST(RestorePriorities, OrderTheKindsOfABackup) {
  std::vector<k8s::GroupResource> in_backup;
  for (const char* id :
       {"pods", "widgets.example.com", "deployments.apps", "customresourcedefinitions.apiextensions.k8s.io",
        "jobs.batch", "apps.kappctrl.k14s.io", "namespaces", "secrets"}) {
    in_backup.push_back(k8s::parse_group_resource(id));
  }
  const kube::Discovery discovery = test_discovery();
  const auto names_in_order = [&](const RestorePriorities& priorities) {
    std::vector<std::string> ids;
    for (const k8s::GroupResource& resource : restore_order(priorities, in_backup, ResourceNames(discovery))) {
      ids.push_back(k8s::to_string(resource));
    }
    return ids;
  };
  EXPECT_THAT(names_in_order(RestorePriorities::defaults()),
              ElementsAre("customresourcedefinitions.apiextensions.k8s.io", "namespaces", "secrets", "pods",
                          "deployments.apps", "jobs.batch", "widgets.example.com", "apps.kappctrl.k14s.io"));
  EXPECT_THAT(names_in_order(*RestorePriorities::parse("widgets.example.com,po,-,deploy")),
              ElementsAre("widgets.example.com", "pods", "apps.kappctrl.k14s.io",
                          "customresourcedefinitions.apiextensions.k8s.io", "jobs.batch", "namespaces", "secrets",
                          "deployments.apps"))
      << "short names work for low priorities as well";
}

}  // namespace
}  // namespace landfall::selection
