#include "base/rfc3339.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace landfall {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

// 2026-05-20T08:00:22Z
constexpr WallTime kMoment{seconds(1'779'264'022)};

struct Case {
  std::string text;
  WallTime moment;
};

TEST(Rfc3339, ReadsWhatGoReads) {
  const std::vector<Case> cases = {
      {"2026-05-20T08:00:22Z", kMoment},
      {"2026-05-20T10:00:22+02:00", kMoment},
      {"2026-05-20T02:30:22-05:30", kMoment},
      {"2026-05-20T08:00:22-00:00", kMoment},
      {"2026-05-20T08:00:22.5Z", kMoment + milliseconds(500)},
      {"2026-05-20T08:00:22,5Z", kMoment + milliseconds(500)},
      {"2026-05-20T08:00:22.123456789999Z", kMoment + nanoseconds(123'456'789)},
      {"2026-05-20T8:00:22Z", kMoment},
      {"2026-05-21T08:00:22+24:00", kMoment},
      {"2026-05-20T09:00:22+00:60", kMoment},
      {"1970-01-01T00:00:00Z", WallTime{}},
      {"1969-12-31T23:59:59.999999999Z", WallTime{nanoseconds(-1)}},
      {"2024-02-29T00:00:00Z", WallTime{seconds(1'709'164'800)}},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(parse_rfc3339(c.text), c.moment) << c.text;
  }
}

TEST(Rfc3339, RefusesWhatGoRefuses) {
  for (const char* text : {"",
                           "2026-05-20",
                           "2026-05-20T08:00:22",
                           "2026-05-20t08:00:22Z",
                           "2026-05-20T08:00:22z",
                           "2026-05-20 08:00:22Z",
                           "2026-05-20T08:00:60Z",
                           "2026-05-20T24:00:00Z",
                           "2026-05-20T08:60:00Z",
                           "2026-02-29T08:00:22Z",
                           "2026-13-01T08:00:22Z",
                           "2026-00-01T08:00:22Z",
                           "2026-01-00T08:00:22Z",
                           "2026-5-20T08:00:22Z",
                           "2026-05-20T08:0:22Z",
                           "2026-05-20T08:00:22.Z",
                           "2026-05-20T08:00:22+0200",
                           "2026-05-20T08:00:22+02",
                           "2026-05-20T08:00:22+25:00",
                           "2026-05-20T08:00:22+02:61",
                           "2026-05-20T08:00:22Z ",
                           " 2026-05-20T08:00:22Z",
                           "02026-05-20T08:00:22Z",
                           "2026-05-20T08:00:22Z07:00"}) {
    EXPECT_FALSE(parse_rfc3339(text)) << text;
  }
}

TEST(Rfc3339, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(parse_rfc3339("2026-05-20 08:00:22Z").error().message(),
            "invalid time \"2026-05-20 08:00:22Z\": expected 'T' at offset 10; write it as 2026-05-20T08:00:22Z");
  EXPECT_EQ(parse_rfc3339("2026-13-20T08:00:22Z").error().message(),
            "invalid time \"2026-13-20T08:00:22Z\": the month is not between 1 and 12 at offset 5; write it as "
            "2026-05-20T08:00:22Z");
}

TEST(Rfc3339, RefusesAYearThatTheClockCannotHold) {
  EXPECT_FALSE(parse_rfc3339("0001-01-01T00:00:00Z"));
  EXPECT_FALSE(parse_rfc3339("9999-12-31T23:59:59Z"));
  EXPECT_TRUE(parse_rfc3339("1678-01-01T00:00:00Z"));
  EXPECT_TRUE(parse_rfc3339("2261-12-31T23:59:59.999999999Z"));
}

TEST(Rfc3339, WritesSecondsMicrosecondsAndNanoseconds) {
  const WallTime half = kMoment + milliseconds(500);
  EXPECT_EQ(format_rfc3339(half), "2026-05-20T08:00:22Z");
  EXPECT_EQ(format_rfc3339_micro(half), "2026-05-20T08:00:22.500000Z");
  EXPECT_EQ(format_rfc3339_micro(kMoment + nanoseconds(1'999)), "2026-05-20T08:00:22.000001Z");
  EXPECT_EQ(format_rfc3339_nano(half), "2026-05-20T08:00:22.5Z");
  EXPECT_EQ(format_rfc3339_nano(kMoment), "2026-05-20T08:00:22Z");
  EXPECT_EQ(format_rfc3339_nano(WallTime{nanoseconds(-1)}), "1969-12-31T23:59:59.999999999Z");
}

TEST(Rfc3339, WritesATimeAsGoPrintsIt) {
  EXPECT_EQ(format_go_time(kMoment), "2026-05-20 08:00:22 +0000 UTC");
  EXPECT_EQ(format_go_time(kMoment + nanoseconds(1'000)), "2026-05-20 08:00:22.000001 +0000 UTC");
}

RC_GTEST_PROP(Rfc3339, ReadsBackWhatItWrites, (std::int64_t count)) {
  // Half a second at each end of the range cannot be told from what is outside.
  const WallTime moment{nanoseconds(count / 2)};
  RC_ASSERT(parse_rfc3339(format_rfc3339_nano(moment)) == moment);
  RC_ASSERT(parse_rfc3339(format_rfc3339_micro(moment)) == std::chrono::floor<std::chrono::microseconds>(moment));
  RC_ASSERT(parse_rfc3339(format_rfc3339(moment)) == std::chrono::floor<seconds>(moment));
}

}  // namespace
}  // namespace landfall
