#include "base/cron.h"

#include <array>
#include <variant>

#include "base/cron_fields.h"
#include "base/go_duration.h"
#include "base/strings.h"
#include "base/time_zone.h"

namespace landfall {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_seconds;

struct Every {
  seconds delay;
};

struct Descriptor {
  std::string_view name;
  std::string_view fields;
};

constexpr std::array<Descriptor, 7> kDescriptors = {{{"@yearly", "0 0 1 1 *"},
                                                     {"@annually", "0 0 1 1 *"},
                                                     {"@monthly", "0 0 1 * *"},
                                                     {"@weekly", "0 0 * * 0"},
                                                     {"@daily", "0 0 * * *"},
                                                     {"@midnight", "0 0 * * *"},
                                                     {"@hourly", "0 * * * *"}}};

bool has(std::uint64_t set, unsigned value) { return (set >> value & 1U) != 0; }

// What a calendar and a clock on the wall show.
struct Local {
  std::chrono::year_month_day date;
  std::chrono::weekday weekday;
  hours hour;
  minutes minute;
  seconds second;
};

// Looks for the next moment of a set of fields: month first, then day, hour and minute, starting over whenever a step
// leads into a new year, month, day or hour. Steps, and what they do around a change of the clocks, are exactly those
// of robfig/cron, including its oddities, so that a schedule is due here when it is due in Velero:
//   - hours and minutes are real ones, days and months those of the calendar;
//   - where midnight does not exist, a search by day can miss that day or end on it at 1:00;
//   - an hour that exists twice is found twice.
class Search {
 public:
  Search(const CronFields& fields, const TimeZone& zone, sys_seconds start)
      : fields_(fields), zone_(zone), start_(start), at_(start), period_(zone.period_at(start)) {}

  std::optional<sys_seconds> run() {
    const std::chrono::year limit = local().date.year() + std::chrono::years(5);
    while (local().date.year() <= limit) {
      if (find_month() && find_day() && find_hour() && find_minute() && find_second()) {
        if (at_ >= start_) {
          return at_;
        }
        at_ += minutes(1);  // the first move went back into an hour that was repeated (clocks of long ago)
      }
    }
    return std::nullopt;
  }

 private:
  // Each of these moves on to the first match. False when it came into a new year (month, day …) on the way.
  bool find_month() {
    while (!has(fields_.month, static_cast<unsigned>(local().date.month()))) {
      const Local now = local();
      if (first_move()) {
        move_to(std::chrono::sys_days(now.date.year() / now.date.month() / 1), seconds(0));
      }
      add_calendar(1, 0);
      if (local().date.month() == std::chrono::January) {
        return false;
      }
    }
    return true;
  }

  bool find_day() {
    while (!day_matches()) {
      if (first_move()) {
        move_to(std::chrono::sys_days(local().date), seconds(0));
      }
      next_day();
      if (local().date.day() == std::chrono::day(1)) {
        return false;
      }
    }
    return true;
  }

  bool find_hour() {
    while (!has(fields_.hour, static_cast<unsigned>(local().hour.count()))) {
      const Local now = local();
      if (first_move()) {
        move_to(std::chrono::sys_days(now.date), now.hour);
      }
      at_ += hours(1);
      if (local().hour == hours(0)) {
        return false;
      }
    }
    return true;
  }

  bool find_minute() {
    while (!has(fields_.minute, static_cast<unsigned>(local().minute.count()))) {
      if (first_move()) {
        at_ = floor<minutes>(at_);
      }
      at_ += minutes(1);
      if (local().minute == minutes(0)) {
        return false;
      }
    }
    return true;
  }

  // Only the second 0 counts.
  bool find_second() {
    const Local now = local();
    if (now.second == seconds(0)) {
      return true;
    }
    first_move();
    at_ += minutes(1) - now.second;
    return false;
  }

  bool day_matches() {
    const Local now = local();
    const bool of_month = has(fields_.day_of_month, static_cast<unsigned>(now.date.day()));
    const bool of_week = has(fields_.day_of_week, now.weekday.c_encoding());
    return fields_.any_day_of_month || fields_.any_day_of_week ? of_month && of_week : of_month || of_week;
  }

  // True once: before the first step the search goes back to the start of the unit that it steps by.
  bool first_move() { return !std::exchange(moved_, true); }

  void next_day() {
    const sys_seconds before = at_;
    add_calendar(0, 1);
    // Midnight did not exist, or came an hour early or late.
    const hours hour = local().hour;
    if (hour != hours(0)) {
      at_ += hour > hours(12) ? hours(24) - hour : -hour;
    }
    // A whole day was left out (Samoa, the end of 2011).
    if (at_ <= before) {
      at_ = before + days(1);
    }
  }

  void add_calendar(int add_months, int add_days) {
    const Local now = local();
    const auto month = now.date.year() / now.date.month() + std::chrono::months(add_months);
    // A day past the end of its month runs into the next.
    const auto day = std::chrono::sys_days(month / 1) + (now.date.day() - std::chrono::day(1)) + days(add_days);
    move_to(day, now.hour + now.minute + now.second);
  }

  // To a local time. One that does not exist, or exists twice, becomes what Go's time.Date makes of it.
  void move_to(std::chrono::sys_days day, seconds time_of_day) {
    const sys_seconds as_if_utc = day + time_of_day;
    const TimeZone::Period guess = zone_.period_at(as_if_utc);
    at_ = as_if_utc - guess.offset;
    if (at_ < guess.begin || at_ >= guess.end) {
      at_ = as_if_utc - zone_.period_at(at_).offset;
    }
  }

  Local local() {
    if (at_ < period_.begin || at_ >= period_.end) {
      period_ = zone_.period_at(at_);
    }
    const sys_seconds shown = at_ + period_.offset;
    const auto day = floor<days>(shown);
    const std::chrono::hh_mm_ss clock(shown - day);
    return {.date = day, .weekday = day, .hour = clock.hours(), .minute = clock.minutes(), .second = clock.seconds()};
  }

  const CronFields& fields_;
  const TimeZone& zone_;
  const sys_seconds start_;
  sys_seconds at_;
  TimeZone::Period period_;  // the one that local() saw last
  bool moved_ = false;
};

Result<std::variant<Every, CronFields>> parse_rule(std::string_view text) {
  if (!text.starts_with('@')) {
    return parse_cron_fields(text);
  }
  for (const Descriptor& descriptor : kDescriptors) {
    if (descriptor.name == text) {
      return parse_cron_fields(descriptor.fields);
    }
  }
  if (const auto delay = strip_prefix(text, "@every ")) {
    TRY_ASSIGN(const Duration duration, "@every", parse_go_duration(*delay));
    return Every{.delay = std::max(floor<seconds>(duration), seconds(1))};
  }
  return fail(Code::kInvalid, "unknown descriptor " + quote(text) +
                                  ": use @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly or "
                                  "@every with a duration such as 1h30m");
}

}  // namespace

struct CronSchedule::Rule {
  std::variant<Every, CronFields> when;
  TimeZone zone;
};

Result<CronSchedule> CronSchedule::parse(std::string_view text) {
  const auto context = [&] { return "invalid schedule " + quote(text); };
  std::string_view rest = text;
  Rule rule;
  if (text.starts_with("TZ=") || text.starts_with("CRON_TZ=")) {
    const auto parts = cut(text.substr(text.find('=') + 1), ' ');
    if (!parts) {
      return fail(Code::kInvalid, context() + ": nothing follows the time zone");
    }
    // There, "Local" is the zone of the server, which is UTC in its image.
    const std::string_view name = parts->first == "Local" ? "UTC" : parts->first;
    TRY_ASSIGN(rule.zone, context(), TimeZone::find(name));
    rest = trim(parts->second);
  }
  TRY_ASSIGN(rule.when, context(), parse_rule(rest));
  return CronSchedule(std::make_shared<const Rule>(rule));
}

std::optional<WallTime> CronSchedule::next(WallTime after) const {
  const sys_seconds whole = floor<seconds>(after);
  std::optional<sys_seconds> found;
  if (const auto* every = std::get_if<Every>(&rule_->when)) {
    found = whole + every->delay;
  } else {
    found = Search(std::get<CronFields>(rule_->when), rule_->zone, whole + seconds(1)).run();
  }
  if (!found || *found > floor<seconds>(WallTime::max())) {
    return std::nullopt;
  }
  return WallTime(*found);
}

}  // namespace landfall
