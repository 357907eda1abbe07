#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace landfall {

// The five fields of a cron expression as sets: bit n stands for the value n. For CronSchedule.
struct CronFields {
  std::uint64_t minute = 0;
  std::uint64_t hour = 0;
  std::uint64_t day_of_month = 0;
  std::uint64_t month = 0;
  std::uint64_t day_of_week = 0;  // 0 is Sunday
  // Whether the field holds a star (or ?) that no step narrows.
  bool any_day_of_month = false;
  bool any_day_of_week = false;
};

// Five fields between white space. The error names the field and quotes its text.
Result<CronFields> parse_cron_fields(std::string_view text);

}  // namespace landfall
