#include "json/timestamp.h"

#include <chrono>
#include <optional>

namespace landfall::json {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool take(std::string_view& text, char expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(1);
  return true;
}

// A number of at least `least` and at most `most` digits.
std::optional<int> take_number(std::string_view& text, std::size_t least, std::size_t most) {
  int number = 0;
  std::size_t count = 0;
  while (count < most && count < text.size() && is_digit(text[count])) {
    number = number * 10 + (text[count] - '0');
    ++count;
  }
  if (count < least) return std::nullopt;
  text.remove_prefix(count);
  return number;
}

bool take_date(std::string_view& text) {
  const auto year = take_number(text, 4, 4);
  if (!year || !take(text, '-')) return false;
  const auto month = take_number(text, 1, 2);
  if (!month || !take(text, '-')) return false;
  const auto day = take_number(text, 1, 2);
  if (!day) return false;
  return std::chrono::year_month_day(std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                     std::chrono::day(static_cast<unsigned>(*day)))
      .ok();
}

bool take_time(std::string_view& text) {
  const auto hour = take_number(text, 1, 2);
  if (!hour || *hour > 23 || !take(text, ':')) return false;
  const auto minute = take_number(text, 1, 2);
  if (!minute || *minute > 59 || !take(text, ':')) return false;
  const auto second = take_number(text, 1, 2);
  if (!second || *second > 59) return false;
  const bool has_fraction = text.size() >= 2 && (text[0] == '.' || text[0] == ',') && is_digit(text[1]);
  if (has_fraction) {
    text.remove_prefix(1);
    while (!text.empty() && is_digit(text[0])) text.remove_prefix(1);
  }
  return true;
}

bool take_zone(std::string_view& text) {
  if (take(text, 'Z')) return true;
  if (!take(text, '+') && !take(text, '-')) return false;
  const auto hours = take_number(text, 2, 2);
  if (!hours || *hours > 24 || !take(text, ':')) return false;
  const auto minutes = take_number(text, 2, 2);
  return minutes && *minutes <= 60;
}

}  // namespace

bool is_timestamp(std::string_view text) {
  if (!take_date(text)) return false;
  if (text.empty()) return true;
  if (text[0] == ' ') {
    while (take(text, ' ')) {
    }
    return take_time(text) && text.empty();
  }
  if (!take(text, 'T') && !take(text, 't')) return false;
  return take_time(text) && take_zone(text) && text.empty();
}

}  // namespace landfall::json
