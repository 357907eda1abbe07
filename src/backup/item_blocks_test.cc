#include "backup/item_blocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "selection/test_discovery.h"

namespace landfall::backup {
namespace {

using selection::test_resource;
using testing::ElementsAre;

std::string pod_with(const std::vector<std::string>& claims) {
  std::string volumes;
  for (const std::string& claim : claims) {
    volumes +=
        (volumes.empty() ? "" : ",") + (R"({"name":"v","persistentVolumeClaim":{"claimName":")" + claim + "\"}}");
  }
  return R"({"spec":{"volumes":[)" + volumes + "]}}";
}

class ItemBlocks : public ::testing::Test {
 protected:
  // Names of the objects in each block.
  std::vector<std::vector<std::string>> blocks() {
    table_.seal();
    const auto made = make_blocks(table_, [&](std::size_t index, std::string& into) -> Status {
      into = bytes_[index];
      return {};
    });
    std::vector<std::vector<std::string>> names;
    for (const ItemBlock& block : made.value()) {
      names.emplace_back();
      for (std::size_t i = 0; i < block.size(); ++i) names.back().emplace_back(table_.name(block.item(i)).name);
    }
    return names;
  }
  void add_pods(const std::vector<std::pair<std::string, std::vector<std::string>>>& pods,
                const std::string& name_space = "shop") {
    ItemBatch batch(pods_);
    for (const auto& [name, claims] : pods) {
      batch.add(name_space, name, 0, 0);
      bytes_.push_back(pod_with(claims));
    }
    ASSERT_TRUE(table_.append(std::move(batch)));
  }

  const kube::ApiResource pods_ = test_resource("", "v1", "pods", "Pod");
  const kube::ApiResource maps_ = test_resource("", "v1", "configmaps", "ConfigMap");
  ItemTable table_;
  std::vector<std::string> bytes_;
};

TEST_F(ItemBlocks, PodsThatShareAClaimBelongTogether) {
  add_pods({{"a", {"one"}}, {"b", {}}, {"c", {"one", "two"}}, {"d", {"two"}}, {"e", {"three"}}});
  EXPECT_THAT(blocks(), ElementsAre(ElementsAre("a", "c", "d"), ElementsAre("b"), ElementsAre("e")));
}

TEST_F(ItemBlocks, ClaimsOfTheSameNameInOtherNamespacesAreOthers) {
  ItemBatch batch(pods_);
  for (const char* name_space : {"x", "y"}) {
    batch.add(name_space, "pod", 0, 0);
    bytes_.push_back(pod_with({"data"}));
  }
  ASSERT_TRUE(table_.append(std::move(batch)));
  EXPECT_EQ(blocks().size(), 2U);
}

TEST_F(ItemBlocks, WhatIsOrderedStaysInOneBlock) {
  ItemBatch batch(maps_);
  for (const char* name : {"a", "b", "c"}) {
    batch.add("shop", name, 0, 0);
    bytes_.emplace_back("{}");
  }
  batch.reorder({2, 0, 1}, 2);
  ASSERT_TRUE(table_.append(std::move(batch)));
  EXPECT_THAT(blocks(), ElementsAre(ElementsAre("c", "a"), ElementsAre("b")));
}

TEST_F(ItemBlocks, EveryObjectIsInOneBlock) {
  ItemBatch batch(maps_);
  for (int i = 0; i < 100; ++i) {
    batch.add("shop", std::to_string(i), 0, 0);
    bytes_.emplace_back("{}");
  }
  ASSERT_TRUE(table_.append(std::move(batch)));
  std::size_t count = 0;
  for (const auto& block : blocks()) count += block.size();
  EXPECT_EQ(count, 100U);
}

}  // namespace
}  // namespace landfall::backup
