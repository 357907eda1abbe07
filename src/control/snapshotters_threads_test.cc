#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "control/snapshotters.h"
#include "control/test_snapshots.h"

namespace landfall::control {
namespace {

using json::Json;

class SnapshottersOfAnOperation : public ::testing::Test {
 protected:
  SnapshottersOfAnOperation() {
    cluster_.serve_snapshotters([this](const std::string& provider, const location::Config& config, const Logger& log) {
      ++opened_;
      return storage_.opener()(provider, config, log);
    });
    put_snapshot_location(cluster_, "fakes");
    put_snapshot_location(cluster_, "strange", {{"provider", "example.com/strange"}});
  }

  FakeStorage storage_;
  TestCluster cluster_;
  std::atomic<int> opened_ = 0;
};

TEST_F(SnapshottersOfAnOperation, OpenALocationOnceWhoeverAsks) {
  Snapshotters snapshotters(cluster_.context(), Logger());
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        const auto opened = snapshotters.get("fakes", {});
        EXPECT_TRUE(opened && (*opened)->provider == "velero.io/fake");
      });
    }
  }
  EXPECT_EQ(opened_, 1);
}

TEST_F(SnapshottersOfAnOperation, TryWhatHasFailedAgainOnlyWhenTheyAreTold) {
  Snapshotters snapshotters(cluster_.context(), Logger());
  for (int i = 0; i < 3; ++i) {
    const auto opened = snapshotters.get("strange", {});
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().message(),
              "volume snapshot location \"strange\": there is no plugin for example.com/strange");
  }
  EXPECT_EQ(opened_, 1);
  snapshotters.forget_failures();
  EXPECT_FALSE(snapshotters.get("strange", {}));
  EXPECT_EQ(opened_, 2);
  EXPECT_EQ(snapshotters.get("missing", {}).error().code(), Code::kNotFound);
}

TEST_F(SnapshottersOfAnOperation, StayOpenUntilTheyAreDropped) {
  SnapshotSessions sessions;
  const Json backup = {{"kind", "Backup"}, {"metadata", {{"name", "b"}, {"uid", "1"}}}};
  const Json other = {{"kind", "Backup"}, {"metadata", {{"name", "b2"}, {"uid", "2"}}}};
  ASSERT_TRUE(sessions.of(cluster_.context(), backup, Logger())->get("fakes", {}));
  ASSERT_TRUE(sessions.of(cluster_.context(), other, Logger())->get("fakes", {}));
  ASSERT_TRUE(sessions.of(cluster_.context(), backup, Logger())->get("fakes", {}));
  EXPECT_EQ(storage_.open(), 2);
  sessions.drop(api::kRestore, "b");
  EXPECT_EQ(storage_.open(), 2);
  sessions.drop(api::kBackup, "b");
  EXPECT_EQ(storage_.open(), 1);
}

}  // namespace
}  // namespace landfall::control
