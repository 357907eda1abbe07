#include "archive/item_key.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace landfall::archive {
namespace {

using testing::ElementsAre;

const ItemKey kPod{.resource = {"", "pods"}, .version = "v1", .namespace_name = "shop", .name = "db-0"};

TEST(ItemKey, HasThePlainPathAndACopyInThePreferredVersion) {
  EXPECT_THAT(item_paths(kPod).value(), ElementsAre("resources/pods/namespaces/shop/db-0.json",
                                                    "resources/pods/v1-preferredversion/namespaces/shop/db-0.json"));
  const ItemKey role{.resource = {"rbac.authorization.k8s.io", "clusterroles"}, .version = "v1", .name = "system:node"};
  EXPECT_THAT(
      item_paths(role).value(),
      ElementsAre("resources/clusterroles.rbac.authorization.k8s.io/cluster/system:node.json",
                  "resources/clusterroles.rbac.authorization.k8s.io/v1-preferredversion/cluster/system:node.json"));
}

TEST(ItemKey, OfAVersionThatIsNotPreferredHasOnlyItsDirectory) {
  ItemKey key = kPod;
  key.is_preferred = false;
  EXPECT_THAT(item_paths(key).value(), ElementsAre("resources/pods/v1/namespaces/shop/db-0.json"));
}

TEST(ItemKey, IsRefusedWhenItsPathWouldMeanSomethingElse) {
  const auto with = [](auto&& change) {
    ItemKey key = kPod;
    change(key);
    return key;
  };
  const auto with_other_version = [](std::string version) {
    ItemKey key = kPod;
    key.version = std::move(version);
    key.is_preferred = false;
    return key;
  };
  const std::vector<ItemKey> bad = {
      with([](ItemKey& key) { key.name = ""; }),
      with([](ItemKey& key) { key.name = ".."; }),
      with([](ItemKey& key) { key.name = "a/b"; }),
      with([](ItemKey& key) { key.name = "a\\b"; }),
      with([](ItemKey& key) { key.name = std::string("a\0b", 3); }),
      with([](ItemKey& key) { key.name = "caf\xe9"; }),
      with([](ItemKey& key) { key.name = std::string(1100, 'a'); }),
      with([](ItemKey& key) { key.namespace_name = ".."; }),
      with([](ItemKey& key) { key.namespace_name = "a/b"; }),
      with([](ItemKey& key) { key.version = ""; }),
      with_other_version("cluster"),
      with_other_version("namespaces"),
      with_other_version("v1-preferredversion"),
      with([](ItemKey& key) { key.resource = {"", ""}; }),
      with([](ItemKey& key) { key.resource = {"", "pods.apps"}; }),
      with([](ItemKey& key) { key.resource = {"../..", "pods"}; }),
  };
  for (const ItemKey& key : bad) {
    const auto paths = item_paths(key);
    ASSERT_FALSE(paths) << paths->front();
    EXPECT_EQ(paths.error().code(), Code::kInvalid) << paths.error().message();
  }
}

}  // namespace
}  // namespace landfall::archive
