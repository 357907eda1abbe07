#include "plugin_local/task_meter.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/manual_clock.h"
#include "testkit/temp_dir.h"

namespace landfall::plugin_local {
namespace {

constexpr Duration kUntilWritten = std::chrono::seconds(1);

// A task that a worker before has shown some bytes of.
class TaskMeters : public testing::Test {
 protected:
  TaskMeters() {
    task_.id = "local-1";
    task_.volume_id = "/data";
    task_.counts = {.total_bytes = 100, .bytes_done = 60};
    std::filesystem::create_directories(layout_.folder(task_.kind, task_.id));
    EXPECT_TRUE(save_task(layout_, task_));
  }

  // What the next worker finds, and whoever asks.
  Counts written() const { return load_task(layout_, task_.kind, task_.id).value().counts; }

  const testkit::TempDir directory_;
  const Layout layout_{directory_.path().string()};
  Task task_;
  ManualClock clock_;
};

TEST_F(TaskMeters, ShowNoFewerBytesThanAWorkerBefore) {
  TaskMeter meter(layout_, task_, clock_, {});
  EXPECT_EQ(meter.shown().bytes_done, 60);
  meter.change([](Counts& counts) { counts = {.total_bytes = 100}; });
  meter.flush();
  EXPECT_EQ(meter.counts().bytes_done, 0);
  EXPECT_EQ(meter.shown(), (Counts{.total_bytes = 100, .bytes_done = 60}));
  EXPECT_EQ(written(), meter.shown());

  ASSERT_TRUE(meter.skip(50));
  meter.flush();
  EXPECT_EQ(meter.shown().bytes_done, 60);
  ASSERT_TRUE(meter.add(30));
  meter.flush();
  EXPECT_EQ(meter.counts().bytes_done, 80);
  EXPECT_EQ(meter.shown(), (Counts{.total_bytes = 100, .bytes_done = 80}));
  EXPECT_EQ(written(), meter.shown());
}

TEST_F(TaskMeters, CountBytesBackWithoutShowingIt) {
  TaskMeter meter(layout_, task_, clock_, {});
  ASSERT_TRUE(meter.add(20));
  meter.flush();
  meter.change([](Counts& counts) { counts.bytes_done = 60; });
  meter.flush();
  EXPECT_EQ(meter.counts().bytes_done, 60);
  EXPECT_EQ(meter.shown().bytes_done, 80);
  EXPECT_EQ(written().bytes_done, 80);
}

TEST_F(TaskMeters, ShowATotalThatHoldsWhatIsShown) {
  TaskMeter meter(layout_, task_, clock_, {});
  meter.change([](Counts& counts) { counts = {.total_bytes = 10}; });
  meter.flush();
  EXPECT_EQ(meter.shown(), (Counts{.total_bytes = 60, .bytes_done = 60}));
  EXPECT_EQ(meter.counts(), (Counts{.total_bytes = 10}));
}

TEST_F(TaskMeters, ShowOnlyWhatIsWrittenDown) {
  TaskMeter meter(layout_, task_, clock_, {});
  ASSERT_TRUE(meter.check());
  ASSERT_TRUE(meter.add(10));
  EXPECT_EQ(meter.counts().bytes_done, 70);
  EXPECT_EQ(meter.shown().bytes_done, 60);
  EXPECT_EQ(written().bytes_done, 60);
  clock_.advance(kUntilWritten);
  ASSERT_TRUE(meter.check());
  EXPECT_EQ(meter.shown().bytes_done, 70);
  EXPECT_EQ(written().bytes_done, 70);

  std::filesystem::remove_all(layout_.folder(task_.kind, task_.id));
  ASSERT_TRUE(meter.add(10));
  meter.flush();
  EXPECT_EQ(meter.shown().bytes_done, 70) << "nobody could write it";
}

}  // namespace
}  // namespace landfall::plugin_local
