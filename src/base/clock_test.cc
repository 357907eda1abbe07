#include "base/clock.h"

#include <gtest/gtest.h>

#include "base/manual_clock.h"

namespace landfall {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

TEST(SystemClock, GoesForwardAndKnowsTheCentury) {
  const SteadyTime before = system_clock().now();
  EXPECT_GE(system_clock().now(), before);
  EXPECT_GT(system_clock().wall_now(), WallTime(std::chrono::sys_days(std::chrono::year(2020) / 1 / 1)));
}

TEST(SystemClock, AWaitEndsAtItsDeadline) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  EXPECT_FALSE(system_clock().wait_until(lock, changed, {}, system_clock().now(), [] { return false; }));
  EXPECT_TRUE(lock.owns_lock());
}

TEST(SystemClock, AWaitDoesNotBlockWhenItIsReady) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  EXPECT_TRUE(system_clock().wait_until(lock, changed, {}, kNever, [] { return true; }));
}

TEST(SystemClock, AStoppedSleepSaysSo) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(system_clock().sleep_for(hours(1), stop.get_token()));  // allow-call: what is tested
  EXPECT_TRUE(system_clock().sleep_for(seconds(0), {}));               // allow-call: what is tested
}

TEST(Clock, AfterAddsUntilItWouldOverflow) {
  const ManualClock clock;
  EXPECT_EQ(clock.after(seconds(5)), clock.now() + seconds(5));
  EXPECT_EQ(clock.after(Duration::max()), kNever);
}

TEST(ManualClock, StandsStillUntilAdvanced) {
  ManualClock clock;
  EXPECT_EQ(clock.wall_now(), WallTime(std::chrono::sys_days(std::chrono::year(2030) / 1 / 1)));
  const WallTime wall = clock.wall_now();
  const SteadyTime steady = clock.now();
  clock.advance(seconds(3));
  EXPECT_EQ(clock.wall_now(), wall + seconds(3));
  EXPECT_EQ(clock.now(), steady + seconds(3));
}

TEST(ManualClock, AJumpOfTheCalendarLeavesDeadlinesAlone) {
  ManualClock clock;
  const SteadyTime steady = clock.now();
  const WallTime wall = clock.wall_now();
  clock.jump_wall(hours(-1));
  EXPECT_EQ(clock.now(), steady);
  EXPECT_EQ(clock.wall_now(), wall - hours(1));
}

}  // namespace
}  // namespace landfall
