#include "base/bytes.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace landfall {
namespace {

constexpr ByteCount kMost{INT64_MAX};
constexpr ByteCount kLeast{INT64_MIN};

TEST(ByteCount, ShowsBytesBelowAKibibyte) {
  EXPECT_EQ(to_string(ByteCount(0)), "0 B");
  EXPECT_EQ(to_string(ByteCount(512)), "512 B");
  EXPECT_EQ(to_string(ByteCount(1023)), "1023 B");
}

TEST(ByteCount, ShowsOneDecimalFromAKibibyteOn) {
  EXPECT_EQ(to_string(kKiB), "1.0 KiB");
  EXPECT_EQ(to_string(1536 * kMiB), "1.5 GiB");
  EXPECT_EQ(to_string(ByteCount(10'000'000)), "9.5 MiB");
  EXPECT_EQ(to_string(2048 * kTiB), "2.0 PiB");
  EXPECT_EQ(to_string(kMost), "8.0 EiB");
}

TEST(ByteCount, MovesToTheNextUnitWhenRoundingReachesIt) {
  EXPECT_EQ(to_string(kMiB - ByteCount(1)), "1.0 MiB");
  EXPECT_EQ(to_string(kMiB - ByteCount(60)), "1023.9 KiB");
}

TEST(ByteCount, ShowsANegativeDifference) {
  EXPECT_EQ(to_string(ByteCount(-1536)), "-1.5 KiB");
  EXPECT_EQ(to_string(kLeast), "-8.0 EiB");
}

TEST(ByteCount, StopsAtTheEndsOfItsRange) {
  EXPECT_EQ(kMost + ByteCount(1), kMost);
  EXPECT_EQ(kLeast + ByteCount(-1), kLeast);
  EXPECT_EQ(kLeast - ByteCount(1), kLeast);
  EXPECT_EQ(kMost - kLeast, kMost);
  EXPECT_EQ(1024 * kMost, kMost);
  EXPECT_EQ(-2 * kMost, kLeast);
}

RC_GTEST_PROP(ByteCount, AddsAndComparesLikeANumber, (std::int32_t a, std::int32_t b)) {
  RC_ASSERT((ByteCount(a) + ByteCount(b)).count() == std::int64_t{a} + b);
  RC_ASSERT((ByteCount(a) - ByteCount(b)).count() == std::int64_t{a} - b);
  RC_ASSERT((ByteCount(a) < ByteCount(b)) == (a < b));
}

}  // namespace
}  // namespace landfall
