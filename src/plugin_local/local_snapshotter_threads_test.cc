#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "base/guarded.h"
#include "plugin_local/test_snapshotter.h"

namespace landfall::plugin_local {
namespace {

TEST(LocalSnapshotterThreads, ManySnapshotsAreTakenAtOnceAndAskedFor) {
  TestSnapshotter test;
  for (int i = 0; i < 20; ++i) write_bytes(test.volume() / std::to_string(i), std::string(10'000, 'x'));
  const auto plugin = test.open();
  Guarded<std::set<std::string>> ids;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        const std::string id = test.take(*plugin);
        ids.with([&](auto& all) { all.insert(id); });
        for (int j = 0; j < 5; ++j) EXPECT_TRUE(plugin->snapshot_progress(id, {}));
      });
    }
  }
  const std::set<std::string> all = ids.copy();
  ASSERT_EQ(all.size(), 4);
  for (const std::string& id : all) {
    const Task task = test.await_end(TaskKind::kSnapshot, id);
    EXPECT_EQ(task.phase, kCompleted) << task.message;
    EXPECT_EQ(task.counts.bytes_done, 200'000);
  }
}

TEST(LocalSnapshotterThreads, OneWorkerTakesTheTaskHoweverManyAreStarted) {
  TestSnapshotter test(Config{{"bytesPerSecond", "100000"}});  // not done before it is killed, whatever holds us up
  for (int i = 0; i < 6; ++i) write_bytes(test.volume() / std::to_string(i), std::string(500'000, 'x'));
  const auto plugin = test.open();
  const std::string id = test.take(*plugin);
  test.kill_worker(TaskKind::kSnapshot, id);
  test.quicken(TaskKind::kSnapshot, id);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 6; ++i) {
      threads.emplace_back([&] { EXPECT_TRUE(plugin->snapshot_progress(id, {})); });
    }
  }
  const Task task = test.await_end(TaskKind::kSnapshot, id);
  EXPECT_EQ(task.phase, kCompleted) << task.message;
  EXPECT_EQ(task.counts.bytes_done, 3'000'000);
  EXPECT_EQ(described(test.folder(id) / "data"), described(test.volume()));
}

TEST(LocalSnapshotterThreads, ADeletionAmongWorkersAndQuestionsLeavesNothing) {
  TestSnapshotter test(Config{{"bytesPerSecond", "1000000"}});
  write_bytes(test.volume() / "large", std::string(50'000'000, 'x'));
  const auto plugin = test.open();
  const std::string id = test.take(*plugin);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] { EXPECT_TRUE(plugin->delete_snapshot(id, {})); });
      threads.emplace_back([&] { static_cast<void>(plugin->snapshot_progress(id, {})); });
    }
  }
  EXPECT_TRUE(plugin->delete_snapshot(id, {}));
  EXPECT_FALSE(fs::exists(test.folder(id)));
}

}  // namespace
}  // namespace landfall::plugin_local
