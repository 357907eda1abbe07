#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

// Timestamps as Kubernetes and Go write them. All of them are written in UTC.

namespace landfall {

// Reads what Go's time.Parse(time.RFC3339, …) reads, which is what a Kubernetes server accepts: "2026-05-20T08:00:22Z",
// with an optional fraction (digits past the ninth are dropped) and Z or an offset such as +02:00. Like Go it wants
// upper case T and Z, refuses a leap second, and is lenient where Go is: an hour of one digit, a comma before the
// fraction, an offset of up to 24:60. A year that WallTime cannot hold (before 1678, after 2261) is kInvalid, too.
Result<WallTime> parse_rfc3339(std::string_view text);

// Whole seconds, the rest dropped: what metav1.Time holds. "2026-05-20T08:00:22Z"
std::string format_rfc3339(WallTime time);
// Always six digits: metav1.MicroTime, as Leases use it. "2026-05-20T08:00:22.000000Z"
std::string format_rfc3339_micro(WallTime time);
// As many digits as are needed, up to nine. "2026-05-20T08:00:22.5Z"
std::string format_rfc3339_nano(WallTime time);

// As Go prints a time by default; Velero's tables show it. "2026-05-20 10:01:00 +0000 UTC"
std::string format_go_time(WallTime time);

}  // namespace landfall
