#include "restore/version_choice.h"

#include <gtest/gtest.h>

#include "selection/test_discovery.h"

namespace landfall::restore {
namespace {

using Names = std::vector<std::string>;

// The first is what the source preferred.
archive::IndexedResource stored(const Names& versions) {
  archive::IndexedResource resource;
  resource.resource = {"rockbands.example.io", "rockbands"};
  for (const std::string& one : versions) {
    resource.versions.push_back({.version = one, .is_preferred = resource.versions.empty()});
  }
  return resource;
}

// The first is what this cluster prefers.
kube::Discovery serving(const Names& versions) {
  kube::ApiGroup group{.name = "rockbands.example.io"};
  std::vector<kube::ApiResource> resources;
  for (const std::string& one : versions) {
    group.versions.push_back(one);
    resources.push_back(selection::test_resource("rockbands.example.io", one, "rockbands", "RockBand"));
  }
  return {{group}, resources, {}};
}

TEST(VersionChoice, PrefersTheUserThenThisClusterThenTheSource) {
  EXPECT_EQ(choose_version(stored({"v1", "v2"}), serving({"v2", "v1"}), {"v3", "v1"}), "") << "v1 is the plain form";
  EXPECT_EQ(choose_version(stored({"v1", "v2"}), serving({"v2", "v1"}), {}), "v2");
  EXPECT_EQ(choose_version(stored({"v1", "v2"}), serving({"v3", "v1", "v2"}), {}), "");
  EXPECT_EQ(choose_version(stored({"v9", "v2beta1", "v2"}), serving({"v3", "v2beta1", "v2"}), {}), "v2");
}

TEST(VersionChoice, IsThePlainFormWhereNothingFits) {
  EXPECT_EQ(choose_version(stored({"v1"}), serving({"v2"}), {"v2"}), "");
  EXPECT_EQ(choose_version(stored({"v1"}), serving({}), {}), "");
}

TEST(VersionPriorities, AreReadLineByLineAndOddLinesPassedOver) {
  const auto read = parse_version_priorities("rockbands.example.io = v2beta1, v2\n=v1\nx=\nnonsense\n\ny.z=,v1,\r\n");
  EXPECT_EQ(read.size(), 2U);
  EXPECT_EQ(read.at("rockbands.example.io"), (Names{"v2beta1", "v2"}));
  EXPECT_EQ(read.at("y.z"), Names{"v1"});
}

}  // namespace
}  // namespace landfall::restore
