#include "backup/item_table.h"

#include <gtest/gtest.h>

#include "selection/test_discovery.h"

namespace landfall::backup {
namespace {

using selection::test_resource;

class ItemTableTest : public ::testing::Test {
 protected:
  const kube::ApiResource pods_ = test_resource("", "v1", "pods", "Pod");
  const kube::ApiResource maps_ = test_resource("", "v1", "configmaps", "ConfigMap");
};

TEST_F(ItemTableTest, FindsEveryObjectByItsNames) {
  ItemTable table;
  ItemBatch maps(maps_);
  for (int i = 0; i < 1000; ++i)
    maps.add(i < 500 ? "a" : "b", "map-" + std::to_string(i), static_cast<std::uint64_t>(i), 7);
  ItemBatch pods(pods_);
  pods.add("a", "map-1", 5000, 9);
  ASSERT_TRUE(table.append(std::move(maps)));
  ASSERT_TRUE(table.append(std::move(pods)));
  table.seal();

  ASSERT_EQ(table.size(), 1001U);
  const auto map = table.find({.resource = &maps_, .name_space = "b", .name = "map-999"});
  ASSERT_TRUE(map);
  EXPECT_EQ(table.place(*map).offset, 999U);
  const auto pod = table.find({.resource = &pods_, .name_space = "a", .name = "map-1"});
  ASSERT_TRUE(pod);
  EXPECT_EQ(table.place(*pod).offset, 5000U);
  EXPECT_FALSE(table.find({.resource = &pods_, .name_space = "b", .name = "map-1"}));
  EXPECT_FALSE(table.find({.resource = &maps_, .name_space = "a", .name = "map-999"}));
}

TEST_F(ItemTableTest, GivesAnObjectToTheFirstWhoAsks) {
  ItemTable table;
  ItemBatch maps(maps_);
  maps.add("a", "x", 0, 1);
  ASSERT_TRUE(table.append(std::move(maps)));
  table.seal();
  EXPECT_FALSE(table.is_claimed(0));
  EXPECT_TRUE(table.claim(0));
  EXPECT_FALSE(table.claim(0));
  EXPECT_TRUE(table.is_claimed(0));
}

TEST_F(ItemTableTest, AnEmptyTableFindsNothing) {
  ItemTable table;
  table.seal();
  EXPECT_FALSE(table.find({.resource = &maps_, .name_space = "a", .name = "x"}));
}

TEST_F(ItemTableTest, ABatchForgetsAListThatBeginsAnew) {
  ItemBatch maps(maps_);
  maps.add("a", "kept", 0, 1);
  maps.add("a", "gone", 1, 1);
  maps.truncate(1);
  maps.add("b", "new", 2, 1);
  ASSERT_EQ(maps.size(), 2U);
  EXPECT_EQ(maps.name(1), "new");
  EXPECT_EQ(maps.name_space(1), "b");
}

}  // namespace
}  // namespace landfall::backup
