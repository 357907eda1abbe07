#include "progress/format.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>

namespace landfall::progress {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals

constexpr WallTime kNow = std::chrono::sys_days{std::chrono::year{2030} / 1 / 1};

ItemProgress restoring(std::int64_t done, std::int64_t total) {
  ItemProgress progress;
  progress.step = ItemStep::kRestoringItems;
  progress.items.total = total;
  progress.items.done = done;
  return progress;
}

TEST(FormatLine, TellsHowFarHowFastAndHowLong) {
  ItemProgress progress = restoring(1204, 9800);
  progress.items_per_minute = 3110;
  progress.estimated_completion = kNow + 165s;
  progress.current = "pods shop/web-0 and 7 more";
  EXPECT_EQ(format_line(progress, kNow), "restoring items 1,204/9,800 (12 %), 3,110/min, about 2m45s left");
}

TEST(FormatLine, LeavesOutWhatIsNotKnown) {
  EXPECT_EQ(format_line(restoring(3, 7), kNow), "restoring items 3/7 (42 %)");
}

TEST(FormatLine, DoesNotShowAnEstimateThatHasPassed) {
  ItemProgress progress = restoring(3, 7);
  progress.estimated_completion = kNow;
  EXPECT_EQ(format_line(progress, kNow), "restoring items 3/7 (42 %)");
}

TEST(FormatLine, CountsFailuresAsTheyCome) {
  ItemProgress progress = restoring(1204, 9800);
  progress.items.outcomes.failed = 3;
  EXPECT_EQ(format_line(progress, kNow), "restoring items 1,204/9,800 (12 %), 3 failed");
}

TEST(FormatLine, ShowsTheSizeOfTheBackupWhileCollecting) {
  ItemProgress progress;
  EXPECT_EQ(format_line(progress, kNow), "collecting");
  progress.items.in_backup = 12345;
  EXPECT_EQ(format_line(progress, kNow), "collecting, 12,345 items in the backup");
}

TEST(FormatLine, ShowsWhatIsGoingOnWhereItIsNotItems) {
  ItemProgress progress = restoring(9800, 9800);
  progress.step = ItemStep::kRunningHooks;
  progress.current = "pods shop/db-0";
  EXPECT_EQ(format_line(progress, kNow), "running hooks, items 9,800/9,800 (100 %), pods shop/db-0");
}

TEST(FormatLine, PutsAStallInThePlaceOfTheRate) {
  ItemProgress progress = restoring(1204, 9800);
  progress.stalled = Stall{.since = kNow - 45s, .reason = "throttled", .item = "pods shop/web-0"};
  EXPECT_EQ(format_line(progress, kNow),
            "restoring items 1,204/9,800 (12 %), stalled for 45s: throttled (pods shop/web-0)");
  progress.stalled = Stall{.since = kNow - 10min, .reason = "", .item = ""};
  EXPECT_EQ(format_line(progress, kNow), "restoring items 1,204/9,800 (12 %), stalled for 10m");
}

TEST(FormatLine, KeepsTextsFromOutsideOnOneLineAndHarmless) {
  ItemProgress progress = restoring(1, 2);
  progress.stalled = Stall{.since = kNow - 30s, .reason = "webhook said:\n\x1b[31mno\x9b", .item = "größe"};
  EXPECT_EQ(format_line(progress, kNow), "restoring items 1/2 (50 %), stalled for 30s: webhook said:  [31mno  (größe)");
}

TEST(FormatLine, TellsBytesOfAVolume) {
  ByteProgress progress;
  EXPECT_EQ(format_line(progress, kNow), "scanning");
  progress.step = ByteStep::kTransferring;
  progress.bytes = {.total = 4 * kGiB, .done = 1536 * kMiB};
  progress.bytes_per_second = ByteCount(54'630'810);
  progress.estimated_completion = kNow + 50s;
  EXPECT_EQ(format_line(progress, kNow), "transferring 1.5 GiB/4.0 GiB (37 %), 52.1 MiB/s, about 50s left");
}

TEST(FormatBar, GrowsFromEmptyToFull) {
  EXPECT_EQ(format_bar(0, 100, 12), "[          ]");
  EXPECT_EQ(format_bar(1, 100, 12), "[>         ]");
  EXPECT_EQ(format_bar(50, 100, 12), "[#####>    ]");
  EXPECT_EQ(format_bar(99, 100, 12), "[#########>]");
  EXPECT_EQ(format_bar(100, 100, 12), "[##########]");
}

TEST(FormatBar, IsEmptyWithoutATotalAndFullWithNothingToDo) {
  EXPECT_EQ(format_bar(5, std::nullopt, 12), "[          ]");
  EXPECT_EQ(format_bar(0, 0, 12), "[##########]");
}

TEST(FormatBar, IsNothingWhereItDoesNotFit) {
  EXPECT_EQ(format_bar(50, 100, 2), "");
  EXPECT_EQ(format_bar(50, 100, -1), "");
  EXPECT_EQ(format_bar(50, 100, 3), "[>]");
}

RC_GTEST_PROP(FormatBar, HasTheWidthAskedForAndIsFullOnlyAtTheEnd, (std::int64_t done, std::int64_t total)) {
  const int width = *rc::gen::inRange(3, 200);
  const std::string bar = format_bar(done, total, width);
  RC_ASSERT(std::ssize(bar) == width);
  RC_ASSERT((bar.find_first_of("> ") == std::string::npos) == (done >= total));
}

TEST(Percent, IsAHundredOnlyWhenAllIsDone) {
  constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(percent(0, 10), 0);
  EXPECT_EQ(percent(9999, 10000), 99);
  EXPECT_EQ(percent(huge - 1, huge), 99);
  EXPECT_EQ(percent(huge, huge), 100);
  EXPECT_EQ(percent(0, 0), 100);
}

TEST(FormatCount, SetsASeparatorEveryThreeDigits) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1000), "1,000");
  EXPECT_EQ(format_count(-123456), "-123,456");
  EXPECT_EQ(format_count(1234567), "1,234,567");
}

TEST(FormatDuration, IsAsExactAsOneCaresToRead) {
  EXPECT_EQ(format_duration(-5s), "0s");
  EXPECT_EQ(format_duration(400ms), "0s");
  EXPECT_EQ(format_duration(59'600ms), "1m00s");
  EXPECT_EQ(format_duration(165s), "2m45s");
  EXPECT_EQ(format_duration(9min + 59s), "9m59s");
  EXPECT_EQ(format_duration(12min + 29s), "12m");
  EXPECT_EQ(format_duration(59min + 40s), "1h00m");
  EXPECT_EQ(format_duration(1h + 5min), "1h05m");
  EXPECT_EQ(format_duration(47h), "47h00m");
  EXPECT_EQ(format_duration(76h + 20min), "3d4h");
}

}  // namespace
}  // namespace landfall::progress
