#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/manual_clock.h"

namespace landfall {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

TEST(ManualClock, ASleepEndsWhenTheTimeIsOverAndNotBefore) {
  ManualClock clock;
  std::atomic<bool> slept = false;
  std::jthread sleeper([&](const std::stop_token& stop) {
    slept = clock.sleep_for(seconds(10), stop);  // allow-call: on a manual clock
  });
  clock.await_waiters(1);
  clock.advance(seconds(9));
  EXPECT_FALSE(slept);
  clock.advance(seconds(1));
  sleeper.join();
  EXPECT_TRUE(slept);
}

TEST(ManualClock, AStopEndsASleep) {
  ManualClock clock;
  bool whole = true;
  std::jthread sleeper([&](const std::stop_token& stop) {
    whole = clock.sleep_for(hours(1), stop);  // allow-call: on a manual clock
  });
  clock.await_waiters(1);
  sleeper.request_stop();
  sleeper.join();
  EXPECT_FALSE(whole);
}

TEST(SystemClock, AStopEndsASleep) {
  bool whole = true;
  std::jthread sleeper([&](const std::stop_token& stop) {
    whole = system_clock().sleep_for(hours(1), stop);  // allow-call: what is tested
  });
  sleeper.request_stop();
  sleeper.join();
  EXPECT_FALSE(whole);
}

}  // namespace
}  // namespace landfall
