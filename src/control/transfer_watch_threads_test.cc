#include <gtest/gtest.h>

#include <set>
#include <string>

#include "api/status.h"
#include "control/test_cluster.h"
#include "control/transfer_watch.h"
#include "json/json.h"
#include "testkit/gate.h"

namespace landfall::control {
namespace {

using json::Json;

class TransferWatchTest : public ::testing::Test {
 protected:
  Json volume(const std::string& phase) const {
    return cluster_.create(api::kPodVolumeBackup, {{"metadata", {{"name", "v1"}}},
                                                   {"spec",
                                                    {{"node", "n1"},
                                                     {"pod", {{"namespace", "shop"}, {"name", "db-0"}}},
                                                     {"volume", "data"},
                                                     {"backupStorageLocation", "default"},
                                                     {"repoIdentifier", ""}}},
                                                   {"status", {{"phase", phase}}}});
  }
  static std::string phase_of(const kube::Object& object) {
    return object ? api::status_text(*object, api::field::kPhase) : "none";
  }

  TestCluster cluster_;
  testkit::Gate changed_;
  TransferWatch watch_{cluster_.context(), api::kPodVolumeBackup, "mine=yes", [this] { changed_.open(); }};
};

TEST_F(TransferWatchTest, KnowsWhatWasJustMade) {
  watch_.made(volume("New"));
  EXPECT_EQ(phase_of(watch_.get("v1")), "New");
  EXPECT_EQ(watch_.names(), std::set<std::string>{"v1"});
}

TEST_F(TransferWatchTest, WhatIsOverStaysSoWhenTheWatchIsBehind) {
  Json over = volume("InProgress");
  over["status"]["phase"] = "Completed";
  watch_.made(over);
  // What the watch tells of now is older than what is known.
  cluster_.objects(api::kPodVolumeBackup)
      .patch("v1", kube::PatchType::kMerge, {{"metadata", {{"labels", {{"mine", "yes"}}}}}}, {})
      .value();
  ASSERT_TRUE(changed_.await());
  EXPECT_EQ(phase_of(watch_.get("v1")), "Completed");
}

}  // namespace
}  // namespace landfall::control
