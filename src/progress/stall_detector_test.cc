#include "progress/stall_detector.h"

#include <gtest/gtest.h>

#include "base/manual_clock.h"

namespace landfall::progress {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals

struct StallDetectorTest : testing::Test {
  std::optional<Stall> check() const { return detector.check(clock.now(), "pods shop/web-0"); }

  ManualClock clock;
  StallDetector detector;
};

TEST_F(StallDetectorTest, IsPatientForThirtySeconds) {
  const WallTime start = clock.wall_now();
  detector.progressed(moment(clock));
  clock.advance(30s - 1ns);
  EXPECT_EQ(check(), std::nullopt);
  clock.advance(1ns);
  EXPECT_EQ(check(), (Stall{.since = start, .reason = "", .item = "pods shop/web-0"}));
}

TEST_F(StallDetectorTest, CannotStallBeforeItHasBegun) {
  clock.advance(1h);
  EXPECT_EQ(check(), std::nullopt);
}

TEST_F(StallDetectorTest, GivesTheReasonThatWasSaidBeforeOrAfter) {
  detector.progressed(moment(clock));
  detector.blame("throttled");
  EXPECT_EQ(check(), std::nullopt);
  clock.advance(40s);
  EXPECT_EQ(check()->reason, "throttled");
  EXPECT_EQ(check()->item, "pods shop/web-0");

  detector.blame("no node agent on node-3", "volume data of shop/db-0");
  EXPECT_EQ(check()->reason, "no node agent on node-3");
  EXPECT_EQ(check()->item, "volume data of shop/db-0");
}

TEST_F(StallDetectorTest, EndsAndForgetsTheReasonWhenSomethingMoves) {
  detector.progressed(moment(clock));
  detector.blame("throttled", "pods shop/api-0");
  clock.advance(40s);
  detector.progressed(moment(clock));
  EXPECT_EQ(check(), std::nullopt);

  clock.advance(30s);
  EXPECT_EQ(check()->reason, "");
  EXPECT_EQ(check()->item, "pods shop/web-0");
}

TEST_F(StallDetectorTest, MeasuresBySteadyTimeWhateverTheCalendarDoes) {
  const WallTime start = clock.wall_now();
  detector.progressed(moment(clock));
  clock.jump_wall(24h);
  EXPECT_EQ(check(), std::nullopt);
  clock.jump_wall(-48h);
  clock.advance(30s);
  EXPECT_EQ(check()->since, start);
}

}  // namespace
}  // namespace landfall::progress
