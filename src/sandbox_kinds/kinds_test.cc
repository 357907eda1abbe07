#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "sandbox_kinds/defaults_test_cases.h"
#include "sandbox_kinds/kind_info.h"

namespace landfall::sandbox {
namespace {

using testing::ElementsAre;

TEST(BuiltInKinds, AreListedOnceEach) {
  std::set<k8s::GroupVersionResource> seen;
  for (const KindInfo& kind : built_in_kinds()) {
    EXPECT_TRUE(seen.insert(kind.id).second) << k8s::to_string(kind.id);
    EXPECT_TRUE(std::ranges::is_sorted(kind.verbs));
    EXPECT_TRUE(std::ranges::is_sorted(kind.subresources));
  }
  EXPECT_EQ(seen.size(), 66U);
}

TEST(BuiltInKinds, ShareOneStorageWhereTheServerDoes) {
  std::set<k8s::GroupResource> homes;
  for (const KindInfo& kind : built_in_kinds()) {
    if (kind.kind == "Event" || kind.kind == "HorizontalPodAutoscaler") {
      homes.insert(kind.storage);
    }
  }
  EXPECT_THAT(homes, ElementsAre(k8s::GroupResource{"", "events"},
                                 k8s::GroupResource{"autoscaling", "horizontalpodautoscalers"}));
}

// The hashes are those that a real server publishes.
TEST(BuiltInKinds, PublishTheStorageVersionOfARealServer) {
  EXPECT_EQ(storage_version_hash(kind_named("Pod")), "xPOwRZ+Yhw8=");
  EXPECT_EQ(storage_version_hash(kind_named("Event")), "r2yiGXH7wu8=");
  EXPECT_EQ(storage_version_hash(kind_named("CustomResourceDefinition")), "jfWCUB31mvA=");
  EXPECT_EQ(storage_version_hash(kind_named("DeviceClass")), "weQRMT6DeYM=");
  EXPECT_EQ(storage_version_hash(kind_named("TokenReview")), "");
}

TEST(Subresources, NameTheKindThatIsSent) {
  const SubresourceInfo eviction = subresource_info(kind_named("Pod"), "eviction");
  EXPECT_EQ(eviction.kind, "Eviction");
  EXPECT_EQ(eviction.group, "policy");
  EXPECT_THAT(eviction.verbs, ElementsAre("create"));
  EXPECT_EQ(subresource_info(kind_named("Node"), "proxy").kind, "NodeProxyOptions");
  EXPECT_EQ(subresource_info(kind_named("Deployment"), "status").kind, "Deployment");
}

}  // namespace
}  // namespace landfall::sandbox
