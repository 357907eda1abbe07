#include "control/snapshot_locations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "control/test_snapshots.h"

namespace landfall::control {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ChosenSnapshotLocations : public ::testing::Test {
 protected:
  ChosenSnapshotLocations() {
    put_snapshot_location(cluster_, "fast");
    put_snapshot_location(cluster_, "slow");
    put_snapshot_location(cluster_, "away", {{"provider", "aws"}});
  }
  SnapshotLocations choose(const std::vector<std::string>& named,
                           const std::map<std::string, std::string>& defaults = {}) const {
    return TestCluster::must(choose_snapshot_locations(cluster_.context(), named, defaults, {}));
  }

  TestCluster cluster_;
};

TEST_F(ChosenSnapshotLocations, AreThoseThatAreNamedAndTheOnlyOnesOfOtherProviders) {
  const SnapshotLocations chosen = choose({"slow"});
  EXPECT_THAT(chosen.names, ElementsAre("slow", "away"));
  EXPECT_THAT(chosen.problems, IsEmpty());
}

TEST_F(ChosenSnapshotLocations, AreOneForEachProvider) {
  EXPECT_THAT(choose({"fast", "slow"}).problems,
              ElementsAre("volume snapshot locations fast and slow are both of provider fake: name one of them"));
  EXPECT_THAT(choose({"fast", "fast"}).problems, IsEmpty());
  EXPECT_THAT(choose({"fast", "gone"}).problems, ElementsAre("volume snapshot location gone does not exist"));
}

TEST_F(ChosenSnapshotLocations, AreNotGuessedWhereThereAreSeveral) {
  const SnapshotLocations chosen = choose({});
  EXPECT_THAT(chosen.names, ElementsAre("away"));
  EXPECT_THAT(chosen.problems,
              ElementsAre("provider fake has several volume snapshot locations and no default: name one of them"));
}

TEST_F(ChosenSnapshotLocations, AreTheServersDefaultWhereThereAreSeveral) {
  const SnapshotLocations chosen = choose({}, {{"fake", "fast"}, {"aws", "ignored: there is only one"}});
  EXPECT_THAT(chosen.names, ElementsAre("away", "fast"));
  EXPECT_THAT(chosen.problems, IsEmpty());
}

}  // namespace
}  // namespace landfall::control
