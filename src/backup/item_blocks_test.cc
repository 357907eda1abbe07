#include "backup/item_blocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

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
  // Names of the objects in each block; a star where there are pods.
  std::vector<std::vector<std::string>> blocks() {
    table_.seal();
    const auto made = make_blocks(table_, related_, [&](std::size_t index, std::string& into) -> Status {
      into = bytes_[index];
      return {};
    });
    std::vector<std::vector<std::string>> names;
    for (const ItemBlock& block : made.value()) {
      names.emplace_back();
      for (std::size_t i = 0; i < block.size(); ++i) names.back().emplace_back(table_.name(block.item(i)).name);
      if (block.has_pods) names.back().front() += "*";
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

  void add_maps(const std::vector<std::string>& names) {
    ItemBatch batch(maps_);
    for (const std::string& name : names) {
      batch.add("shop", name, 0, 0);
      bytes_.emplace_back("{}");
    }
    ASSERT_TRUE(table_.append(std::move(batch)));
  }

  const kube::ApiResource pods_ = test_resource("", "v1", "pods", "Pod");
  const kube::ApiResource maps_ = test_resource("", "v1", "configmaps", "ConfigMap");
  ItemTable table_;
  ItemGroups related_;
  std::vector<std::string> bytes_;
};

TEST_F(ItemBlocks, PodsThatShareAClaimBelongTogether) {
  add_pods({{"a", {"one"}}, {"b", {}}, {"c", {"one", "two"}}, {"d", {"two"}}, {"e", {"three"}}});
  EXPECT_THAT(blocks(), ElementsAre(ElementsAre("a*", "c", "d"), ElementsAre("b*"), ElementsAre("e*")));
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

TEST_F(ItemBlocks, OrderedPodsStayInOneBlock) {
  ItemBatch batch(pods_);
  for (const char* name : {"a", "b", "c"}) {
    batch.add("shop", name, 0, 0);
    bytes_.emplace_back("{}");
  }
  batch.reorder({2, 0, 1}, 2);
  ASSERT_TRUE(table_.append(std::move(batch)));
  EXPECT_THAT(blocks(), ElementsAre(ElementsAre("c*", "a"), ElementsAre("b*")));
}

TEST_F(ItemBlocks, WhatIsRelatedIsOneBlockWhereItsFirstStands) {
  add_maps({"m0", "m1", "m2", "m3", "m4"});
  add_pods({{"p5", {}}, {"p6", {}}, {"p7", {}}});
  related_.join(7, 1);
  related_.join(3, 4);
  EXPECT_THAT(blocks(), ElementsAre(ElementsAre("m0"), ElementsAre("m1*", "p7"), ElementsAre("m2"),
                                    ElementsAre("m3", "m4"), ElementsAre("p5*"), ElementsAre("p6*")));
}

// Through a claim that a related pod shares with another, and an order that a related object stands in.
TEST_F(ItemBlocks, WhatBelongsToRelatedObjectsComesAlong) {
  ItemBatch batch(maps_);
  for (const char* name : {"m0", "m1", "m2"}) {
    batch.add("shop", name, 0, 0);
    bytes_.emplace_back("{}");
  }
  batch.reorder({0, 1, 2}, 2);
  ASSERT_TRUE(table_.append(std::move(batch)));
  add_pods({{"p3", {"data"}}, {"p4", {}}, {"p5", {"data"}}});
  related_.join(5, 1);
  EXPECT_THAT(blocks(), ElementsAre(ElementsAre("m0*", "m1", "p3", "p5"), ElementsAre("m2"), ElementsAre("p4*")));
}

TEST_F(ItemBlocks, EveryObjectIsInOneBlock) {
  std::vector<std::string> maps(200);
  for (std::size_t i = 0; i < maps.size(); ++i) maps[i] = std::to_string(i);
  add_maps(maps);
  for (std::uint32_t i = 0; i < 150; i += 3) related_.join(i, (i * 7) % 90);
  std::multiset<std::string> all;
  for (const auto& block : blocks()) all.insert(block.begin(), block.end());
  EXPECT_EQ(all, std::multiset<std::string>(maps.begin(), maps.end()));
}

}  // namespace
}  // namespace landfall::backup
