#include "base/go_duration.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace landfall {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;

struct Case {
  std::string text;
  Duration duration;
};

TEST(GoDuration, ReadsWhatGoReads) {
  const std::vector<Case> cases = {
      {"0", seconds(0)},
      {"-0", seconds(0)},
      {"+0", seconds(0)},
      {"0s", seconds(0)},
      {"1h30m", minutes(90)},
      {"720h0m0s", hours(720)},
      {"-1.5s", milliseconds(-1500)},
      {"+.5ms", nanoseconds(500'000)},
      {"1.s", seconds(1)},
      {"5m3h", hours(3) + minutes(5)},
      {"1h1h", hours(2)},
      {"100us", nanoseconds(100'000)},
      {"100\u00B5s", nanoseconds(100'000)},
      {"100\u03BCs", nanoseconds(100'000)},
      {"1.9ns", nanoseconds(1)},
      {"0.3333333333333333333h", minutes(20)},
      {"0.100000000000000000000h", minutes(6)},
      {"0.9223372036854775807h", nanoseconds(3'320'413'933'267)},
      {"9007199254.740993ms", nanoseconds(9'007'199'254'740'993)},
      {"2562047h47m16.854775807s", Duration::max()},
      {"9223372036854775807ns", Duration::max()},
      {"-9223372036854775808ns", Duration::min()},
      {"-2562047h47m16.854775808s", Duration::min()},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(parse_go_duration(c.text), c.duration) << c.text;
  }
}

TEST(GoDuration, RefusesWhatGoRefuses) {
  for (const char* text : {"",
                           "-",
                           "+",
                           "1",
                           "3.5",
                           ".",
                           ".s",
                           "-.s",
                           "s",
                           "1x",
                           "1d",
                           "1 s",
                           " 1s",
                           "1s ",
                           "1S",
                           "1h-1m",
                           "--1s",
                           "1..s",
                           "1e3s",
                           "9223372036854775808ns",
                           "-9223372036854775809ns",
                           "9223372036854775.808us",
                           "99999999999999999999h",
                           "2562048h",
                           "9223372036s1s"}) {
    const auto duration = parse_go_duration(text);
    ASSERT_FALSE(duration) << text;
    EXPECT_EQ(duration.error().code(), Code::kInvalid);
  }
}

TEST(GoDuration, SaysWhatIsWrong) {
  EXPECT_EQ(parse_go_duration("10").error().message(),
            "invalid duration \"10\": a number has no unit: use h, m, s, ms, us or ns");
  EXPECT_EQ(parse_go_duration("30d").error().message(),
            "invalid duration \"30d\": unknown unit \"d\": use h, m, s, ms, us or ns");
  EXPECT_EQ(parse_go_duration("soon").error().message(),
            "invalid duration \"soon\": expected a number before \"soon\"");
  EXPECT_EQ(parse_go_duration("").error().message(),
            "invalid duration \"\": expected a number and a unit, such as 1h30m");
  EXPECT_EQ(parse_go_duration("9999999h").error().message(), "invalid duration \"9999999h\": longer than 292 years");
}

TEST(GoDuration, DoesNotWrapAroundWhereGoDoes) {
  // Go adds these two up to zero.
  EXPECT_FALSE(parse_go_duration("9223372036854775808ns9223372036854775808ns"));
}

TEST(GoDuration, WritesWhatGoWrites) {
  const std::vector<Case> cases = {
      {"0s", seconds(0)},
      {"1ns", nanoseconds(1)},
      {"-999ns", nanoseconds(-999)},
      {"1\u00B5s", nanoseconds(1'000)},
      {"1.1\u00B5s", nanoseconds(1'100)},
      {"2.2ms", nanoseconds(2'200'000)},
      {"999.999999ms", nanoseconds(999'999'999)},
      {"1s", seconds(1)},
      {"3.3s", milliseconds(3300)},
      {"1m0s", minutes(1)},
      {"4m5.001s", minutes(4) + milliseconds(5001)},
      {"1h0m0s", hours(1)},
      {"720h0m0s", hours(720)},
      {"5h6m7.000000001s", hours(5) + minutes(6) + seconds(7) + nanoseconds(1)},
      {"2562047h47m16.854775807s", Duration::max()},
      {"-2562047h47m16.854775808s", Duration::min()},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(format_go_duration(c.duration), c.text);
  }
}

RC_GTEST_PROP(GoDuration, ReadsBackWhatItWrites, (std::int64_t count)) {
  const int shift = *rc::gen::inRange(0, 63);
  const Duration duration(count >> shift);
  RC_ASSERT(parse_go_duration(format_go_duration(duration)) == duration);
}

}  // namespace
}  // namespace landfall
