#include "base/time_zone.h"

#include <date/tz.h>

#include <stdexcept>

#include "base/quote.h"

namespace landfall {

Result<TimeZone> TimeZone::find(std::string_view name) {
  if (name.empty() || name == "UTC") {
    return TimeZone();
  }
  try {
    return TimeZone(date::locate_zone(name));
  } catch (const std::runtime_error&) {
    return fail(Code::kInvalid, "unknown time zone " + quote(name) + ": use a name such as Europe/Berlin or UTC");
  }
}

TimeZone::Period TimeZone::period_at(std::chrono::sys_seconds moment) const {
  if (zone_ == nullptr) {
    return {.begin = std::chrono::sys_seconds::min(), .end = std::chrono::sys_seconds::max(), .offset = {}};
  }
  const date::sys_info info = zone_->get_info(moment);
  return {.begin = info.begin, .end = info.end, .offset = info.offset};
}

}  // namespace landfall
