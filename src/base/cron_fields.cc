#include "base/cron_fields.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "base/strings.h"

namespace landfall {
namespace {

constexpr std::array<std::string_view, 12> kMonths = {"jan", "feb", "mar", "apr", "may", "jun",
                                                      "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> kDays = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

struct Kind {
  std::string_view name;
  std::int64_t least;
  std::int64_t most;
  std::span<const std::string_view> names;  // of the values from the least one on
};

constexpr std::array<Kind, 5> kKinds = {{{"minute", 0, 59, {}},
                                         {"hour", 0, 23, {}},
                                         {"day of month", 1, 31, {}},
                                         {"month", 1, 12, kMonths},
                                         {"day of week", 0, 6, kDays}}};

struct Set {
  std::uint64_t bits = 0;
  bool any = false;
};

Result<std::int64_t> parse_value(std::string_view text, const Kind& kind) {
  const auto name = std::ranges::find(kind.names, to_lower(text));
  if (name != kind.names.end()) {
    return kind.least + (name - kind.names.begin());
  }
  TRY_ASSIGN(const std::int64_t value, "", parse_int64(text));
  if (value < kind.least || value > kind.most) {
    return fail(Code::kInvalid, std::to_string(value) + " is not between " + std::to_string(kind.least) + " and " +
                                    std::to_string(kind.most));
  }
  return value;
}

Result<std::int64_t> parse_step(std::string_view text) {
  TRY_ASSIGN(const std::int64_t step, "step", parse_int64(text));
  if (step < 1) {
    return fail(Code::kInvalid, "the step " + std::to_string(step) + " is not positive");
  }
  return step;
}

// One element of a list: * ? N N-M, each with an optional /STEP.
Result<Set> parse_range(std::string_view text, const Kind& kind) {
  const std::vector<std::string_view> range_and_step = split(text, '/');
  if (range_and_step.size() > 2) {
    return fail(Code::kInvalid, "more than one /");
  }
  const std::vector<std::string_view> ends = split(range_and_step[0], '-');
  const bool has_step = range_and_step.size() == 2;
  const bool star = ends[0] == "*" || ends[0] == "?";
  std::int64_t first = kind.least;
  std::int64_t last = kind.most;
  // What follows a star and a hyphen is ignored, as in robfig/cron: a schedule that runs there has to run here.
  if (!star) {
    if (ends.size() > 2) {
      return fail(Code::kInvalid, "more than one -");
    }
    TRY_ASSIGN(first, "", parse_value(ends[0], kind));
    if (ends.size() == 2) {
      TRY_ASSIGN(last, "", parse_value(ends[1], kind));
    } else if (!has_step) {
      last = first;
    }
  }
  std::int64_t step = 1;
  if (has_step) {
    TRY_ASSIGN(step, "", parse_step(range_and_step[1]));
  }
  if (first > last) {
    return fail(Code::kInvalid, "the range starts after its end");
  }
  Set set{.bits = 0, .any = star && step == 1};
  for (std::int64_t value = first; value <= last; value += std::min<std::int64_t>(step, 64)) {
    set.bits |= std::uint64_t{1} << static_cast<unsigned>(value);
  }
  return set;
}

Result<Set> parse_field(std::string_view text, const Kind& kind) {
  Set field;
  for (const std::string_view part : split(text, ',')) {
    if (part.empty()) {
      continue;  // as in robfig/cron, a comma too many does no harm
    }
    TRY_ASSIGN(const Set range, std::string(kind.name) + " " + quote(part), parse_range(part, kind));
    field.bits |= range.bits;
    field.any = field.any || range.any;
  }
  // robfig/cron takes this for a schedule that never runs, which Velero then runs every minute.
  if (field.bits == 0) {
    return fail(Code::kInvalid, std::string(kind.name) + " " + quote(text) + ": no value");
  }
  return field;
}

}  // namespace

Result<CronFields> parse_cron_fields(std::string_view text) {
  const std::vector<std::string_view> words = split_words(text);
  if (words.size() != kKinds.size()) {
    return fail(Code::kInvalid, "expected 5 fields (minute, hour, day of month, month, day of week), found " +
                                    std::to_string(words.size()));
  }
  std::array<Set, 5> sets;
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    TRY_ASSIGN(sets.at(i), "", parse_field(words[i], kKinds.at(i)));
  }
  return CronFields{.minute = sets[0].bits,
                    .hour = sets[1].bits,
                    .day_of_month = sets[2].bits,
                    .month = sets[3].bits,
                    .day_of_week = sets[4].bits,
                    .any_day_of_month = sets[2].any,
                    .any_day_of_week = sets[4].any};
}

}  // namespace landfall
