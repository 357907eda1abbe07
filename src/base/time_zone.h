#pragma once

#include <chrono>
#include <string_view>

#include "base/result.h"

namespace date {
class time_zone;  // NOLINT(readability-identifier-naming): the library's name
}

namespace landfall {

// A time zone of the system's database (the tzdata package). A value, cheap to copy; the default is UTC. Thread-safe.
class TimeZone {
 public:
  TimeZone() = default;

  // By the name of its region, as in "Europe/Berlin"; "UTC" and "" are UTC. kInvalid if there is none of that name.
  static Result<TimeZone> find(std::string_view name);

  // A time in which the zone's offset does not change; the end does not belong to it.
  struct Period {
    std::chrono::sys_seconds begin;
    std::chrono::sys_seconds end;
    std::chrono::seconds offset;  // what to add to UTC to get local time
  };
  Period period_at(std::chrono::sys_seconds moment) const;

 private:
  explicit TimeZone(const date::time_zone* zone) : zone_(zone) {}

  const date::time_zone* zone_ = nullptr;  // lives as long as the program; null is UTC
};

}  // namespace landfall
