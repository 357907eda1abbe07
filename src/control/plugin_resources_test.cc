#include "control/plugin_resources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "control/test_cluster.h"

namespace landfall::control {
namespace {

using testing::IsEmpty;

class Warnings final : public LogSink {
 public:
  void write(const LogEntry& entry) override { count += entry.level == LogLevel::kWarning ? 1 : 0; }
  int count = 0;
};

TEST(PluginResources, AreNoneWhereThereIsNoSuchKind) {
  const TestCluster cluster(TestCluster::Kinds::kVeleros);
  const auto sink = std::make_shared<Warnings>();
  PluginResources resources(cluster.context(), Logger(system_clock(), sink));
  EXPECT_THAT(TestCluster::must(resources.list(api::kVolumePluginBackup, {}, {})), IsEmpty());
  EXPECT_EQ(sink->count, 0);
}

TEST(PluginResources, AreNoneWhereTheyMayNotBeSeenWhichIsSaidOnce) {
  const TestCluster cluster;
  const auto sink = std::make_shared<Warnings>();
  PluginResources resources(cluster.context(), Logger(system_clock(), sink));
  EXPECT_TRUE(resources.are_missing(Error(Code::kForbidden, "no")));
  EXPECT_TRUE(resources.are_missing(Error(Code::kForbidden, "no")));
  EXPECT_EQ(sink->count, 1);
  EXPECT_FALSE(resources.are_missing(Error(Code::kUnavailable, "later")));
}

}  // namespace
}  // namespace landfall::control
