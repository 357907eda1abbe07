#include "progress/byte_tracker.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <utility>
#include <vector>

namespace landfall::progress {
namespace {

ByteCounts counts(std::int64_t done, std::int64_t total) {
  return {.total = ByteCount(total), .done = ByteCount(done)};
}

TEST(ByteTracker, ShowsNothingDoneBeforeTheTotalIsKnown) {
  ByteTracker tracker;
  EXPECT_TRUE(tracker.done(ByteCount(10)));
  EXPECT_EQ(tracker.counts(), ByteCounts{});
  tracker.total(ByteCount(100));
  EXPECT_EQ(tracker.counts(), counts(10, 100));
}

TEST(ByteTracker, NeverGoesBack) {
  ByteTracker tracker;
  tracker.total(ByteCount(100));
  EXPECT_TRUE(tracker.done(ByteCount(50)));
  EXPECT_FALSE(tracker.done(ByteCount(40)));
  EXPECT_FALSE(tracker.done(ByteCount(50)));
  EXPECT_FALSE(tracker.done(ByteCount(-1)));
  EXPECT_EQ(tracker.counts(), counts(50, 100));
}

TEST(ByteTracker, RaisesTheTotalButDoesNotLowerIt) {
  ByteTracker tracker;
  tracker.total(ByteCount(100));
  tracker.total(ByteCount(250));
  tracker.total(ByteCount(80));
  tracker.total(ByteCount(-5));
  EXPECT_EQ(tracker.counts(), counts(0, 250));
}

TEST(ByteTracker, CountsMoreThanTheTotalAsTheTotalUntilItGrows) {
  ByteTracker tracker;
  tracker.total(ByteCount(100));
  tracker.done(ByteCount(130));
  EXPECT_EQ(tracker.counts(), counts(100, 100));
  tracker.total(ByteCount(200));
  EXPECT_EQ(tracker.counts(), counts(130, 200));
}

TEST(ByteTracker, FinishesWithAllOfTheTotalDone) {
  ByteTracker tracker;
  tracker.total(ByteCount(100));
  tracker.done(ByteCount(60));
  tracker.finish();
  EXPECT_EQ(tracker.counts(), counts(100, 100));
}

TEST(ByteTracker, FinishesWithWhatWasDoneWhenThereNeverWasATotal) {
  ByteTracker tracker;
  tracker.done(ByteCount(60));
  tracker.finish();
  EXPECT_EQ(tracker.counts(), counts(60, 60));
}

TEST(ByteTracker, FinishesWithTheExactSizeInPlaceOfAnEstimate) {
  ByteTracker tracker;
  tracker.total(ByteCount(100));
  tracker.done(ByteCount(60));
  tracker.finish(ByteCount(80));
  EXPECT_EQ(tracker.counts(), counts(80, 80));
}

TEST(ByteTracker, DoesNotTakeBackWhatWasShownForAnExactSizeBelowIt) {
  ByteTracker tracker;
  tracker.total(ByteCount(100));
  tracker.done(ByteCount(60));
  tracker.finish(ByteCount(50));
  EXPECT_EQ(tracker.counts(), counts(60, 60));
}

RC_GTEST_PROP(ByteTracker, KeepsTheContractForWhateverAnUploaderSays,
              (const std::vector<std::pair<bool, std::int64_t>>& words, bool is_exact, std::int64_t exact)) {
  ByteTracker tracker;
  ByteCounts before;
  const auto check = [&] {
    const ByteCounts now = tracker.counts();
    RC_ASSERT(now.done >= before.done);
    RC_ASSERT(now.done <= now.total.value_or(ByteCount(0)));
    RC_ASSERT(now.total.has_value() || !before.total.has_value());
    before = now;
  };
  for (const auto& [is_total, bytes] : words) {
    is_total ? tracker.total(ByteCount(bytes)) : static_cast<void>(tracker.done(ByteCount(bytes)));
    RC_ASSERT(!before.total || tracker.counts().total >= before.total);
    check();
  }
  tracker.finish(is_exact ? std::optional(ByteCount(exact)) : std::nullopt);
  check();
  RC_ASSERT(before.done == before.total);
}

}  // namespace
}  // namespace landfall::progress
