#include <gtest/gtest.h>

#include <semaphore>
#include <thread>

#include "base/manual_clock.h"
#include "control/timed_snapshotter.h"
#include "json/json.h"

namespace landfall::control {
namespace {

// Answers when it is stopped.
class Silent final : public extension::VolumeSnapshotter {
 public:
  Result<std::string> volume_id(const json::Json& /*volume*/, const std::stop_token& stop) override {
    return hang<std::string>(stop);
  }
  Status set_volume_id(json::Json& /*volume*/, const std::string& /*id*/, const std::stop_token& stop) override {
    return hang<void>(stop);
  }
  Result<extension::VolumeTraits> volume_traits(const std::string& /*id*/, const std::string& /*zone*/,
                                                const std::stop_token& stop) override {
    return hang<extension::VolumeTraits>(stop);
  }
  Result<std::string> create_snapshot(const std::string& /*id*/, const std::string& /*zone*/,
                                      const std::map<std::string, std::string>& /*tags*/,
                                      const std::stop_token& stop) override {
    return hang<std::string>(stop);
  }
  Result<std::string> create_volume(const std::string& /*snapshot*/, const extension::VolumeTraits& /*traits*/,
                                    const std::string& /*zone*/, const std::stop_token& stop) override {
    return hang<std::string>(stop);
  }
  Status delete_snapshot(const std::string& /*snapshot*/, const std::stop_token& stop) override {
    return hang<void>(stop);
  }
  Result<extension::TransferProgress> snapshot_progress(const std::string& /*snapshot*/,
                                                        const std::stop_token& stop) override {
    return hang<extension::TransferProgress>(stop);
  }
  Result<extension::TransferProgress> volume_progress(const std::string& /*id*/, const std::string& /*snapshot*/,
                                                      const std::stop_token& stop) override {
    return hang<extension::TransferProgress>(stop);
  }
  Status cancel_snapshot(const std::string& /*snapshot*/, const std::stop_token& stop) override {
    return hang<void>(stop);
  }
  Status cancel_volume(const std::string& /*id*/, const std::string& /*snapshot*/,
                       const std::stop_token& stop) override {
    return hang<void>(stop);
  }

 private:
  template <class T>
  static Result<T> hang(const std::stop_token& stop) {
    std::binary_semaphore stopped(0);
    const std::stop_callback on_stop(stop, [&] { stopped.release(); });
    stopped.acquire();
    return fail(Code::kCancelled, "stopped");
  }
};

class TimedSnapshotters : public ::testing::Test {
 protected:
  ManualClock clock_;
  TimedSnapshotter snapshotter_{std::make_unique<Silent>(), clock_, {}};
};

TEST_F(TimedSnapshotters, DoNotWaitForAnAnswerWithoutEnd) {
  Result<extension::TransferProgress> told = extension::TransferProgress{};
  std::jthread asker([&] { told = snapshotter_.snapshot_progress("s", {}); });
  clock_.await_waiters(1);
  clock_.advance(std::chrono::minutes(1));
  asker.join();
  ASSERT_FALSE(told);
  EXPECT_EQ(told.error().code(), Code::kTimeout);
  EXPECT_EQ(told.error().message(), "the plugin has not answered within 1m0s");
}

TEST_F(TimedSnapshotters, StopWhenTheyAreTold) {
  std::stop_source stop;
  Status told;
  std::jthread asker([&] { told = snapshotter_.delete_snapshot("s", stop.get_token()); });
  clock_.await_waiters(1);
  stop.request_stop();
  asker.join();
  ASSERT_FALSE(told);
  EXPECT_EQ(told.error().code(), Code::kCancelled);
}

}  // namespace
}  // namespace landfall::control
