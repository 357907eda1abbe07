#include "progress/rate_estimator.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace landfall::progress {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals

constexpr SteadyTime kStart{1h};

// Feeds a count that grows by `per_second`, observed every second.
SteadyTime run(RateEstimator& rate, SteadyTime from, std::int64_t& done, std::int64_t per_second, Duration duration) {
  SteadyTime now = from;
  while (now < from + duration) {
    now += 1s;
    done += per_second;
    rate.observe(now, done);
  }
  return now;
}

TEST(RateEstimator, SaysNothingInTheFirstSeconds) {
  RateEstimator rate;
  std::int64_t done = 0;
  rate.restart(kStart, done);
  const SteadyTime now = run(rate, kStart, done, 50, 4s);
  EXPECT_EQ(rate.per_second(), std::nullopt);
  EXPECT_EQ(rate.time_left(100), std::nullopt);

  run(rate, now, done, 50, 1s);
  EXPECT_DOUBLE_EQ(rate.per_second().value(), 50);
  EXPECT_EQ(rate.time_left(100), 2s);
}

TEST(RateEstimator, SaysNothingAfterASingleBurst) {
  RateEstimator rate;
  rate.restart(kStart, 0);
  for (int i = 1; i <= 20; ++i) {
    rate.observe(kStart + i * 1s, 5000);
  }
  EXPECT_EQ(rate.per_second(), std::nullopt);
}

TEST(RateEstimator, DoesNotCountWhatWasDoneBeforeTheStart) {
  RateEstimator rate;
  std::int64_t done = 8000;
  rate.restart(kStart, done);
  run(rate, kStart, done, 10, 10s);
  EXPECT_DOUBLE_EQ(rate.per_second().value(), 10);
}

TEST(RateEstimator, FollowsAChangeOfSpeedWithinAMinute) {
  RateEstimator rate;
  std::int64_t done = 0;
  rate.restart(kStart, done);
  const SteadyTime now = run(rate, kStart, done, 100, 10min);
  run(rate, now, done, 10, 1min);
  EXPECT_GT(rate.per_second().value(), 10);
  EXPECT_LT(rate.per_second().value(), 25);
}

TEST(RateEstimator, SmoothsABurstInsteadOfPromisingTheEarth) {
  RateEstimator rate;
  std::int64_t done = 0;
  rate.restart(kStart, done);
  const SteadyTime now = run(rate, kStart, done, 100, 5min);
  done += 1000;  // ten seconds' worth at once
  rate.observe(now + 1s, done);
  EXPECT_LT(rate.per_second().value(), 135);
}

TEST(RateEstimator, SpreadsGrowthOverATimeWithoutObservations) {
  RateEstimator rate;
  std::int64_t done = 0;
  rate.restart(kStart, done);
  const SteadyTime now = run(rate, kStart, done, 10, 1min);
  rate.observe(now + 10min, done + 6000);  // the machine was busy, or asleep
  EXPECT_NEAR(rate.per_second().value(), 10, 0.01);
}

TEST(RateEstimator, IsNotImpressedByObservationsInQuickSuccession) {
  RateEstimator rate;
  std::int64_t done = 0;
  rate.restart(kStart, done);
  const SteadyTime now = run(rate, kStart, done, 10, 1min);
  rate.observe(now, done + 500);
  rate.observe(now + 1us, done + 1000);
  EXPECT_DOUBLE_EQ(rate.per_second().value(), 10);
}

TEST(RateEstimator, IgnoresTimeThatGoesBack) {
  RateEstimator rate;
  std::int64_t done = 0;
  rate.restart(kStart, done);
  const SteadyTime now = run(rate, kStart, done, 10, 1min);
  rate.observe(now - 30s, done + 5);
  EXPECT_DOUBLE_EQ(rate.per_second().value(), 10);
}

TEST(RateEstimator, StartsAnewWhenTheCountGoesDown) {
  RateEstimator rate;
  std::int64_t done = 0;
  rate.restart(kStart, done);
  const SteadyTime now = run(rate, kStart, done, 10, 1min);
  rate.observe(now + 1s, 3);
  EXPECT_EQ(rate.per_second(), std::nullopt);
}

TEST(RateEstimator, HasNoEstimateForNothingLeftNorForTheAbsurd) {
  RateEstimator rate;
  std::int64_t done = 0;
  rate.restart(kStart, done);
  const SteadyTime now = run(rate, kStart, done, 1, 1min);
  EXPECT_EQ(rate.time_left(0), std::nullopt);
  EXPECT_EQ(rate.time_left(-4), std::nullopt);
  EXPECT_TRUE(rate.time_left(24L * 3600).has_value());
  EXPECT_EQ(rate.time_left(31L * 24 * 3600), std::nullopt);

  run(rate, now, done, 0, 20min);  // it has all but stopped
  EXPECT_EQ(rate.time_left(1000), std::nullopt);
}

RC_GTEST_PROP(RateEstimator, StaysBetweenTheSlowestAndTheFastestThatItSaw,
              (const std::vector<std::pair<std::uint16_t, std::uint16_t>>& growth)) {
  RateEstimator rate;
  SteadyTime now = kStart;
  std::int64_t done = 0;
  rate.restart(now, done);
  double slowest = 1e9;
  double fastest = 0;
  for (const auto& [gap, amount] : growth) {
    const auto seconds = 0.1 + gap / 1000.0;
    now += std::chrono::ceil<Duration>(std::chrono::duration<double>(seconds));
    done += amount;
    rate.observe(now, done);
    slowest = std::min(slowest, amount / seconds);
    fastest = std::max(fastest, amount / seconds);
    if (const auto per_second = rate.per_second()) {
      RC_ASSERT(*per_second >= slowest * 0.999);
      RC_ASSERT(*per_second <= fastest * 1.001);
    }
    const auto left = rate.time_left(1000).value_or(0s);
    RC_ASSERT(left >= 0s);
    RC_ASSERT(left <= 24h * 30);
  }
}

}  // namespace
}  // namespace landfall::progress
