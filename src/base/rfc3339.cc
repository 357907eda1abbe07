#include "base/rfc3339.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/quote.h"

namespace landfall {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::seconds;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Walks over the text; the first thing that does not fit is remembered, and everything after it reads as zero.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text), size_(text.size()) {}

  // Exactly `digits` digits, no less than `least` and no more than `most`.
  int number(std::string_view what, std::size_t digits, int least, int most) {
    if (error_ || rest_.size() < digits ||
        !std::all_of(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(digits), is_digit)) {
      return wrong(fmt::format("expected {} digits for the {}", digits, what));
    }
    int value = 0;
    for (const char c : rest_.substr(0, digits)) {
      value = value * 10 + (c - '0');
    }
    if (value < least || value > most) {
      return wrong(fmt::format("the {} is not between {} and {}", what, least, most));
    }
    rest_.remove_prefix(digits);
    return value;
  }

  void expect(char c) {
    if (error_ || !rest_.starts_with(c)) {
      wrong(fmt::format("expected '{}'", c));
      return;
    }
    rest_.remove_prefix(1);
  }

  // `.` or `,` and digits, of which nine count; without both there is no fraction.
  Duration fraction() {
    if (error_ || rest_.size() < 2 || (rest_[0] != '.' && rest_[0] != ',') || !is_digit(rest_[1])) {
      return Duration(0);
    }
    std::int64_t nanos = 0;
    std::int64_t unit = 100'000'000;
    for (rest_.remove_prefix(1); !rest_.empty() && is_digit(rest_.front()); rest_.remove_prefix(1)) {
      nanos += unit * (rest_.front() - '0');
      unit /= 10;
    }
    return Duration(nanos);
  }

  std::string_view rest() const { return rest_; }
  void end() {
    if (!rest_.empty()) {
      wrong("expected nothing more");
    }
  }
  const std::optional<std::string>& error() const { return error_; }

  int wrong(const std::string& what) {
    if (!error_) {
      error_ = fmt::format("{} at offset {}", what, size_ - rest_.size());
    }
    return 0;
  }

 private:
  std::string_view rest_;
  std::size_t size_;
  std::optional<std::string> error_;
};

seconds scan_offset(Scanner& scan) {
  if (scan.rest().starts_with('Z')) {
    scan.expect('Z');
    return seconds(0);
  }
  const bool west = scan.rest().starts_with('-');
  if (!west && !scan.rest().starts_with('+')) {
    scan.wrong("expected Z or an offset such as +02:00");
    return seconds(0);
  }
  scan.expect(west ? '-' : '+');
  const std::chrono::hours hours(scan.number("hour of the offset", 2, 0, 24));
  scan.expect(':');
  const std::chrono::minutes minutes(scan.number("minute of the offset", 2, 0, 60));
  return west ? -(hours + minutes) : hours + minutes;
}

struct Split {
  std::string date;
  std::string clock;
  std::int64_t nanos;
};

Split split_time(WallTime time) {
  const auto day = floor<days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  return {.date = fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                              static_cast<unsigned>(date.day())),
          .clock =
              fmt::format("{:02}:{:02}:{:02}", clock.hours().count(), clock.minutes().count(), clock.seconds().count()),
          .nanos = clock.subseconds().count()};
}

// The fraction with its point but without trailing zeros; nothing for a whole second.
std::string short_fraction(std::int64_t nanos) {
  if (nanos == 0) {
    return "";
  }
  std::string digits = fmt::format(".{:09}", nanos);
  digits.erase(digits.find_last_not_of('0') + 1);
  return digits;
}

}  // namespace

Result<WallTime> parse_rfc3339(std::string_view text) {
  Scanner scan(text);
  const std::chrono::year year(scan.number("year", 4, 0, 9999));
  scan.expect('-');
  const std::chrono::month month(static_cast<unsigned>(scan.number("month", 2, 1, 12)));
  scan.expect('-');
  const std::chrono::day day(static_cast<unsigned>(scan.number("day", 2, 1, 31)));
  scan.expect('T');
  const bool short_hour = scan.rest().size() > 1 && scan.rest()[1] == ':';
  const std::chrono::hours hour(scan.number("hour", short_hour ? 1 : 2, 0, 23));
  scan.expect(':');
  const std::chrono::minutes minute(scan.number("minute", 2, 0, 59));
  scan.expect(':');
  const seconds second(scan.number("second", 2, 0, 59));
  const Duration fraction = scan.fraction();
  const seconds offset = scan_offset(scan);
  scan.end();
  const std::chrono::year_month_day date = year / month / day;
  if (!scan.error() && !date.ok()) {
    scan.wrong("the month has no such day");
  }
  const auto invalid = [&](std::string_view why) {
    return fail(Code::kInvalid, fmt::format("invalid time {}: {}; write it as 2026-05-20T08:00:22Z", quote(text), why));
  };
  if (scan.error()) {
    return invalid(*scan.error());
  }
  const auto whole = std::chrono::sys_days(date) + hour + minute + second - offset;
  if (whole < std::chrono::ceil<seconds>(WallTime::min()) || whole >= floor<seconds>(WallTime::max())) {
    return invalid("the year is not between 1678 and 2261");
  }
  return WallTime(whole) + fraction;
}

std::string format_rfc3339(WallTime time) {
  const Split parts = split_time(time);
  return parts.date + "T" + parts.clock + "Z";
}

std::string format_rfc3339_micro(WallTime time) {
  const Split parts = split_time(time);
  return fmt::format("{}T{}.{:06}Z", parts.date, parts.clock, parts.nanos / 1000);
}

std::string format_rfc3339_nano(WallTime time) {
  const Split parts = split_time(time);
  return parts.date + "T" + parts.clock + short_fraction(parts.nanos) + "Z";
}

std::string format_go_time(WallTime time) {
  const Split parts = split_time(time);
  return parts.date + " " + parts.clock + short_fraction(parts.nanos) + " +0000 UTC";
}

}  // namespace landfall
