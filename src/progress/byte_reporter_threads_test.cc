#include <gtest/gtest.h>

#include "base/manual_clock.h"
#include "progress/byte_reporter.h"
#include "progress/recorder.h"

namespace landfall::progress {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals

struct ByteReporterTest : testing::Test {
  ByteReporterTest() { reporter.subscribe("resource", recorder.subscriber()); }

  ManualClock clock;
  Recorder<ByteProgress> recorder{clock};
  ByteReporter reporter{clock, Logger()};
};

TEST_F(ByteReporterTest, ScansUntilTheTotalIsKnown) {
  reporter.start();
  ASSERT_TRUE(recorder.await(1));
  EXPECT_EQ(recorder.values().front(), ByteProgress{});

  reporter.total(1 * kGiB);
  EXPECT_EQ(reporter.snapshot().step, ByteStep::kTransferring);
  EXPECT_EQ(reporter.snapshot().bytes.total, 1 * kGiB);
}

TEST_F(ByteReporterTest, TellsTheRateAndWhenItWillBeThrough) {
  reporter.start();
  reporter.total(1 * kGiB);
  for (int second = 1; second <= 10; ++second) {
    clock.advance(1s);
    reporter.done(second * (8 * kMiB));
    reporter.snapshot();
  }
  const ByteProgress now = reporter.snapshot();
  EXPECT_EQ(now.bytes_per_second, 8 * kMiB);
  EXPECT_EQ(now.estimated_completion, clock.wall_now() + 118s);

  reporter.finishing();
  EXPECT_EQ(reporter.snapshot().bytes_per_second, std::nullopt);
}

TEST_F(ByteReporterTest, StallsWithTheReasonFromWhoeverKnowsIt) {
  reporter.start();
  reporter.total(1 * kGiB);
  reporter.done(1 * kMiB);
  const WallTime last = clock.wall_now();
  reporter.doing("var/lib/db/00000001.log");
  reporter.blame("the bucket does not answer");
  clock.advance(29s);
  reporter.done(1 * kMiB);
  clock.advance(1s);
  EXPECT_EQ(reporter.snapshot().stalled,
            (Stall{.since = last, .reason = "the bucket does not answer", .item = "var/lib/db/00000001.log"}));

  reporter.done(2 * kMiB);
  EXPECT_EQ(reporter.snapshot().stalled, std::nullopt);
}

TEST_F(ByteReporterTest, EndsWithAllOfTheTotalDone) {
  reporter.start();
  reporter.total(1 * kGiB);
  reporter.done(1000 * kMiB);
  ASSERT_TRUE(reporter.finish(std::nullopt, kNever, {}));
  const ByteProgress last = recorder.values().back();
  EXPECT_EQ(last.bytes.done, 1 * kGiB);
  EXPECT_EQ(last.bytes.total, 1 * kGiB);
  EXPECT_EQ(last.step, ByteStep::kFinishing);
}

TEST_F(ByteReporterTest, EndsWhereItCameToWhenItIsAbandoned) {
  reporter.start();
  reporter.total(1 * kGiB);
  reporter.done(1000 * kMiB);
  clock.advance(40s);
  ASSERT_TRUE(reporter.abandon(kNever, {}));
  const ByteProgress last = recorder.values().back();
  EXPECT_EQ(last.bytes.done, 1000 * kMiB);
  EXPECT_EQ(last.stalled, std::nullopt);
}

}  // namespace
}  // namespace landfall::progress
