#include "base/backoff.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace landfall {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Backoff, GrowsByItsFactorUpToTheCap) {
  SeededRandom random(1);
  Backoff backoff({.first = milliseconds(500), .cap = seconds(3), .factor = 2.0, .jitter = 0}, random);
  EXPECT_EQ(backoff.next(), milliseconds(500));
  EXPECT_EQ(backoff.next(), seconds(1));
  EXPECT_EQ(backoff.next(), seconds(2));
  EXPECT_EQ(backoff.next(), seconds(3));
  EXPECT_EQ(backoff.next(), seconds(3));
  EXPECT_EQ(backoff.attempts(), 5);
}

TEST(Backoff, StartsOverAfterAReset) {
  SeededRandom random(1);
  Backoff backoff({.first = seconds(1), .cap = seconds(60), .factor = 3.0, .jitter = 0}, random);
  backoff.next();
  backoff.next();
  backoff.reset();
  EXPECT_EQ(backoff.attempts(), 0);
  EXPECT_EQ(backoff.next(), seconds(1));
}

TEST(Backoff, StaysAtTheCapForever) {
  SeededRandom random(1);
  Backoff backoff({.first = seconds(1), .cap = Duration::max(), .factor = 10.0, .jitter = 0}, random);
  Duration delay{};
  for (int i = 0; i < 2000; ++i) {
    delay = backoff.next();
  }
  EXPECT_GT(delay, std::chrono::hours(24 * 365 * 290));
}

RC_GTEST_PROP(Backoff, JitterOnlyShortensADelayAndByNoMoreThanItsShare, (std::uint64_t seed)) {
  SeededRandom random(seed);
  Backoff backoff({.first = seconds(8), .cap = seconds(8), .factor = 2.0, .jitter = 0.25}, random);
  const Duration delay = backoff.next();
  RC_ASSERT(delay >= seconds(6));
  RC_ASSERT(delay <= seconds(8));
}

TEST(Backoff, DelaysOfTwoClientsDiffer) {
  SeededRandom random(1);
  Backoff a({}, random);
  Backoff b({}, random);
  EXPECT_NE(a.next(), b.next());
}

}  // namespace
}  // namespace landfall
