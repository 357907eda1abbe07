#include "s3/http_date.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <vector>

#include "base/rfc3339.h"
#include "base/strings.h"

namespace landfall::s3 {

Result<WallTime> parse_http_date(std::string_view text) {
  static constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                            "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::vector<std::string_view> words = split(text, ' ');
  if (words.size() != 6 || words[5] != "GMT") {
    return fail(Code::kInvalid, "not a date of HTTP");
  }
  const auto month = std::ranges::find(kMonths, words[2]);
  if (month == kMonths.end()) {
    return fail(Code::kInvalid, "not a date of HTTP: the month is none");
  }
  const auto number = std::to_string(month - kMonths.begin() + 1);
  return parse_rfc3339(std::string(words[3]) + (number.size() == 1 ? "-0" : "-") + number + "-" +
                       std::string(words[1]) + "T" + std::string(words[4]) + "Z");
}

}  // namespace landfall::s3
