#include "kube/limiter.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/manual_clock.h"

namespace landfall::kube {
namespace {

TEST(RateLimiter, LetsABurstPassAndThenOneByOne) {
  ManualClock clock;
  RateLimiter limiter(10, 3, clock);
  const SteadyTime now = clock.now();
  EXPECT_TRUE(limiter.acquire(now, {}));
  EXPECT_TRUE(limiter.acquire(now, {}));
  EXPECT_TRUE(limiter.acquire(now, {}));
  const auto refused = limiter.acquire(now + std::chrono::milliseconds(50), {});
  ASSERT_FALSE(refused) << "its turn comes after the deadline";
  EXPECT_EQ(refused.error().code(), Code::kTimeout);
  clock.advance(std::chrono::milliseconds(200));
  EXPECT_TRUE(limiter.acquire(clock.now(), {}));
}

TEST(RateLimiter, WithoutALimitNobodyWaits) {
  ManualClock clock;
  RateLimiter limiter(0, 0, clock);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(limiter.acquire(clock.now(), {}));
  }
}

TEST(ConcurrencyLimiter, HalvesOncePerEventAndGrowsBack) {
  ManualClock clock;
  ConcurrencyLimiter limiter(64, clock);
  limiter.pushed_back();
  limiter.pushed_back();
  EXPECT_EQ(limiter.limit(), 32) << "calls refused together count once";
  clock.advance(std::chrono::seconds(1));
  limiter.pushed_back();
  EXPECT_EQ(limiter.limit(), 16);
  for (int i = 0; i < 17; ++i) {
    limiter.succeeded();
  }
  EXPECT_EQ(limiter.limit(), 17);
  for (int i = 0; i < 10'000; ++i) {
    limiter.succeeded();
  }
  EXPECT_EQ(limiter.limit(), 64);
  for (int i = 0; i < 20; ++i) {
    clock.advance(std::chrono::seconds(1));
    limiter.pushed_back();
  }
  EXPECT_EQ(limiter.limit(), 1) << "one call is always allowed";
}

TEST(ConcurrencyLimiter, APlaceIsGivenBackWhenItGoes) {
  ManualClock clock;
  ConcurrencyLimiter limiter(1, clock);
  {
    const auto place = limiter.acquire(clock.now(), {});
    ASSERT_TRUE(place);
    EXPECT_EQ(limiter.acquire(clock.now(), {}).error().code(), Code::kTimeout);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(limiter.acquire(kNever, stop.get_token()).error().code(), Code::kCancelled);
  }
  EXPECT_TRUE(limiter.acquire(clock.now(), {}));
}

}  // namespace
}  // namespace landfall::kube
