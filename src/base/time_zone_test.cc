#include "base/time_zone.h"

#include <gtest/gtest.h>

namespace landfall {
namespace {

using std::chrono::hours;
using std::chrono::sys_days;
using std::chrono::sys_seconds;
using std::chrono::year;

constexpr sys_seconds kSummer = sys_days(year(2035) / 7 / 1);

TEST(TimeZone, IsUtcUnlessNamed) {
  EXPECT_EQ(TimeZone().period_at(kSummer).offset, hours(0));
  EXPECT_EQ(TimeZone::find("UTC")->period_at(kSummer).offset, hours(0));
  EXPECT_EQ(TimeZone::find("")->period_at(kSummer).offset, hours(0));
}

// Fails where the database holds the rules of future years in short form only, which the library does not read.
TEST(TimeZone, KnowsTheClockChangesToCome) {
  const TimeZone::Period summer = TimeZone::find("Europe/Berlin")->period_at(kSummer);
  EXPECT_EQ(summer.offset, hours(2));
  EXPECT_EQ(summer.begin, sys_days(year(2035) / 3 / 25) + hours(1));
  EXPECT_EQ(summer.end, sys_days(year(2035) / 10 / 28) + hours(1));
}

TEST(TimeZone, RefusesANameThatIsNotInTheDatabase) {
  for (const char* name : {"Mars/Base", "europe/berlin", "../../etc/passwd", "/etc/localtime", "Europe", "tzdata.zi"}) {
    const auto zone = TimeZone::find(name);
    ASSERT_FALSE(zone) << name;
    EXPECT_EQ(zone.error().code(), Code::kInvalid);
  }
}

}  // namespace
}  // namespace landfall
