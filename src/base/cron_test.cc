#include "base/cron.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "base/rfc3339.h"

namespace landfall {
namespace {

std::string next(std::string_view schedule, std::string_view after) {
  const auto parsed = CronSchedule::parse(schedule);
  if (!parsed) {
    return parsed.error().message();
  }
  const auto found = parsed->next(*parse_rfc3339(after));
  return found ? format_rfc3339_nano(*found) : "none";
}

struct Case {
  std::string schedule;
  std::string after;
  std::string next;
};

// Printed by github.com/robfig/cron/v3 v3.0.1.
const std::vector<Case> kFields = {
    {"* * * * *", "2026-05-20T10:01:00Z", "2026-05-20T10:02:00Z"},
    {"* * * * *", "2026-05-20T10:01:59.999999999Z", "2026-05-20T10:02:00Z"},
    {"*/15 * * * *", "2026-05-20T10:46:00Z", "2026-05-20T11:00:00Z"},
    {"5/20 * * * *", "2026-05-20T10:26:00Z", "2026-05-20T10:45:00Z"},
    {"0 1 * * *", "2026-12-31T23:59:59Z", "2027-01-01T01:00:00Z"},
    {"0 9-17/4 * * 1-5", "2026-05-22T17:00:00Z", "2026-05-25T09:00:00Z"},
    {"0 0 31 * *", "2026-01-31T00:00:00Z", "2026-03-31T00:00:00Z"},
    {"0 0 29 2 *", "2024-02-29T00:00:00Z", "2028-02-29T00:00:00Z"},
    {"0 0 13 * *", "2026-02-13T00:00:00Z", "2026-03-13T00:00:00Z"},
    {"0 0 ? * MON", "2026-05-20T00:00:00Z", "2026-05-25T00:00:00Z"},
    {"0 0 1 jan,JUL ?", "2026-05-20T00:00:00Z", "2026-07-01T00:00:00Z"},
    {"0 12 * 2-4/2 *", "2026-05-20T00:00:00Z", "2027-02-01T12:00:00Z"},
    {"1,,2 *-7 * * +3", "2026-05-20T00:02:00Z", "2026-05-20T01:01:00Z"},
    {"\t0  3 *\n*\u00A0* ", "2026-05-20T04:00:00Z", "2026-05-21T03:00:00Z"},
};

const std::vector<Case> kDescriptors = {
    {"@yearly", "2026-05-20T10:01:00Z", "2027-01-01T00:00:00Z"},
    {"@annually", "2026-05-20T10:01:00Z", "2027-01-01T00:00:00Z"},
    {"@monthly", "2026-05-20T10:01:00Z", "2026-06-01T00:00:00Z"},
    {"@weekly", "2026-05-20T10:01:00Z", "2026-05-24T00:00:00Z"},
    {"@daily", "2026-05-20T10:01:00Z", "2026-05-21T00:00:00Z"},
    {"@midnight", "2026-05-20T00:00:00Z", "2026-05-21T00:00:00Z"},
    {"@hourly", "2026-05-20T10:01:00Z", "2026-05-20T11:00:00Z"},
    {"@every 1h30m", "2026-05-20T10:01:00.25Z", "2026-05-20T11:31:00Z"},
    {"@every 1.9s", "2026-05-20T10:01:00Z", "2026-05-20T10:01:01Z"},
    {"@every 10ms", "2026-05-20T10:01:00.5Z", "2026-05-20T10:01:01Z"},
    {"@every -1h", "2026-05-20T10:01:00Z", "2026-05-20T10:01:01Z"},
    {"CRON_TZ=Asia/Tokyo @every 1h", "2026-05-20T10:01:00Z", "2026-05-20T11:01:00Z"},
};

const std::vector<Case> kZones = {
    {"CRON_TZ=Europe/Berlin 0 3 * * *", "2026-07-01T00:00:00Z", "2026-07-01T01:00:00Z"},
    {"TZ=Asia/Kolkata 0 6 * * *", "2026-05-20T00:30:00Z", "2026-05-21T00:30:00Z"},
    {"TZ=Asia/Kathmandu */45 * * * *", "2026-05-20T00:14:59Z", "2026-05-20T00:15:00Z"},
    {"TZ=America/New_York @daily", "2026-11-01T04:00:00Z", "2026-11-02T05:00:00Z"},
    {"TZ= 0 1 * * *", "2026-05-20T00:00:00Z", "2026-05-20T01:00:00Z"},
    {"TZ=Local 0 1 * * *", "2026-05-20T00:00:00Z", "2026-05-20T01:00:00Z"},
    // An hour that is skipped.
    {"CRON_TZ=Europe/Berlin 30 2 * * *", "2026-03-28T12:00:00Z", "2026-03-30T00:30:00Z"},
    {"TZ=America/New_York 30 2 * * *", "2026-03-08T05:00:00Z", "2026-03-09T06:30:00Z"},
    {"TZ=Australia/Lord_Howe 15 2 * * *", "2026-10-03T00:00:00Z", "2026-10-04T15:15:00Z"},
    // An hour that comes twice.
    {"CRON_TZ=Europe/Berlin 30 2 * * *", "2026-10-24T12:00:00Z", "2026-10-25T00:30:00Z"},
    {"CRON_TZ=Europe/Berlin 30 2 * * *", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"},
    {"CRON_TZ=Europe/Berlin 30 2 * * *", "2026-10-25T01:30:00Z", "2026-10-26T01:30:00Z"},
    {"TZ=Australia/Lord_Howe 45 1 * * *", "2026-04-04T14:50:00Z", "2026-04-04T15:15:00Z"},
    // A midnight that is skipped: west of Greenwich, then east of it, where the search by day misses that day.
    {"TZ=America/Sao_Paulo 0 0 * * *", "2018-11-03T12:00:00Z", "2018-11-05T02:00:00Z"},
    {"TZ=America/Sao_Paulo 0 0 4 11 *", "2018-11-03T12:00:00Z", "2019-11-04T03:00:00Z"},
    {"TZ=America/Sao_Paulo 0 5 4 11 *", "2018-10-03T12:00:00Z", "2018-11-04T07:00:00Z"},
    {"TZ=Africa/Cairo 0 5 * * *", "2024-04-25T20:00:00Z", "2024-04-26T02:00:00Z"},
    {"TZ=Africa/Cairo 0 5 26 4 *", "2024-04-20T00:00:00Z", "2025-04-26T02:00:00Z"},
    {"TZ=Africa/Cairo 0 1 25 4 *", "2024-04-25T00:00:00Z", "2024-04-25T22:00:00Z"},
    {"TZ=America/Havana 0 0 * * *", "2026-10-31T12:00:00Z", "2026-11-01T04:00:00Z"},
};

void check(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    EXPECT_EQ(next(c.schedule, c.after), c.next) << c.schedule << " after " << c.after;
  }
}

TEST(CronSchedule, FindsTheNextMomentOfItsFields) { check(kFields); }
TEST(CronSchedule, KnowsTheDescriptors) { check(kDescriptors); }
TEST(CronSchedule, FollowsItsZoneThroughClockChanges) { check(kZones); }

TEST(CronSchedule, TakesEitherDayFieldWhenNeitherIsAStar) {
  EXPECT_EQ(next("0 0 13 * fri", "2026-02-13T00:00:00Z"), "2026-02-20T00:00:00Z");
  EXPECT_EQ(next("30 4 1,15 * 5", "2026-05-02T00:00:00Z"), "2026-05-08T04:30:00Z");
  EXPECT_EQ(next("0 0 */2 * fri", "2026-02-13T00:00:00Z"), "2026-02-15T00:00:00Z") << "a step makes it no star";
  EXPECT_EQ(next("0 0 */1 * fri", "2026-02-13T00:00:00Z"), "2026-02-20T00:00:00Z") << "a step of one does not";
}

TEST(CronSchedule, GivesUpAfterFiveYears) {
  EXPECT_EQ(next("0 0 30 2 *", "2026-01-01T00:00:00Z"), "none");
  EXPECT_EQ(next("0 0 29 2 *", "2096-03-01T00:00:00Z"), "none") << "2100 is no leap year";
}

TEST(CronSchedule, HasNoMomentPastWhatTheClockHolds) {
  EXPECT_EQ(next("@yearly", "2262-01-02T00:00:00Z"), "none");
  EXPECT_EQ(next("@every 2562047h", "2026-01-01T00:00:00Z"), "none");
}

TEST(CronSchedule, GetsPastADayThatWasLeftOut) {
  EXPECT_EQ(next("TZ=Pacific/Apia 0 0 31 12 *", "2011-12-29T00:00:00Z"), "2011-12-30T10:00:00Z");
}

TEST(CronSchedule, DoesNotGoBackWhereTheClocksWent) {
  EXPECT_EQ(next("TZ=America/Iqaluit 40 */3 * * *", "1942-08-01T03:11:30Z"), "1942-08-01T04:40:00Z");
}

TEST(CronSchedule, NamesTheFieldAndTheTextThatIsWrong) {
  const auto error = [](std::string_view text) { return CronSchedule::parse(text).error().message(); };
  EXPECT_EQ(error("61 * * * *"), "invalid schedule \"61 * * * *\": minute \"61\": 61 is not between 0 and 59");
  EXPECT_EQ(error("* * 1,0 * *"), "invalid schedule \"* * 1,0 * *\": day of month \"0\": 0 is not between 1 and 31");
  EXPECT_EQ(error("* 5-3 * * *"), "invalid schedule \"* 5-3 * * *\": hour \"5-3\": the range starts after its end");
  EXPECT_EQ(error("* * * * moon"),
            "invalid schedule \"* * * * moon\": day of week \"moon\": \"moon\" is not a whole number");
  EXPECT_EQ(error("*/0 * * * *"), "invalid schedule \"*/0 * * * *\": minute \"*/0\": the step 0 is not positive");
  EXPECT_EQ(error("* * * , *"), "invalid schedule \"* * * , *\": month \",\": no value");
  EXPECT_EQ(error("0 * * *"),
            "invalid schedule \"0 * * *\": expected 5 fields (minute, hour, day of month, month, day "
            "of week), found 4");
  EXPECT_EQ(error("TZ=Mars/Base @daily"),
            "invalid schedule \"TZ=Mars/Base @daily\": unknown time zone \"Mars/Base\": "
            "use a name such as Europe/Berlin or UTC");
  EXPECT_EQ(error("@every soon"),
            "invalid schedule \"@every soon\": @every: invalid duration \"soon\": expected a number "
            "before \"soon\"");
}

TEST(CronSchedule, RefusesWhatRobfigRefuses) {
  for (const char* text : {"",
                           " ",
                           "* * * * * *",
                           "* * * *",
                           "* 24 * * *",
                           "* * 32 * *",
                           "* * * 13 *",
                           "* * * 0 *",
                           "* * * foo *",
                           "* * * mon *",
                           "* * * * 7",
                           "* * * * mo",
                           "1-2-3 * * * *",
                           "1/2/3 * * * *",
                           "*/-5 * * * *",
                           "*/x * * * *",
                           "a * * * *",
                           "- * * * *",
                           "1- * * * *",
                           "99999999999999999999 * * * *",
                           "@",
                           "@dayly",
                           "@Daily",
                           "@every",
                           "@every ",
                           "@daily ",
                           " @daily",
                           "TZ=UTC",
                           "TZ=../etc/localtime * * * * *",
                           "TZ=europe/berlin * * * * *",
                           "tz=UTC * * * * *"}) {
    const auto schedule = CronSchedule::parse(text);
    ASSERT_FALSE(schedule) << text;
    EXPECT_EQ(schedule.error().code(), Code::kInvalid);
  }
}

RC_GTEST_PROP(CronSchedule, MatchesItsFieldsInUtc, (std::uint32_t start)) {
  const auto minute = *rc::gen::inRange(0, 60);
  const auto hour = *rc::gen::inRange(0, 24);
  const auto weekday = *rc::gen::inRange(0, 7);
  const WallTime after{std::chrono::seconds(start)};
  const auto schedule =
      CronSchedule::parse(std::to_string(minute) + " " + std::to_string(hour) + " * * " + std::to_string(weekday));
  const WallTime found = *schedule->next(after);
  RC_ASSERT(found > after);
  RC_ASSERT(found - after <= std::chrono::days(7));
  const auto day = std::chrono::floor<std::chrono::days>(found);
  RC_ASSERT(found - day == std::chrono::hours(hour) + std::chrono::minutes(minute));
  RC_ASSERT(std::chrono::weekday(day).c_encoding() == static_cast<unsigned>(weekday));
}

}  // namespace
}  // namespace landfall
