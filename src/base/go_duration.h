#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

// Durations as Go writes them: fields such as `ttl: 720h0m0s` and flags such as --item-operation-timeout.

namespace landfall {

// What Go's time.ParseDuration reads: an optional sign, then numbers (a fraction is fine) with their units
// h, m, s, ms, us (µs, μs), ns; or a bare "0". "1h30m", "-1.5s", "+.5ms". A fraction of a nanosecond is dropped.
// Anything else is kInvalid; so is a duration past ±292 years.
Result<Duration> parse_go_duration(std::string_view text);

// What Go's Duration.String writes: "720h0m0s", "1.5s", "250µs", "0s". parse_go_duration() reads it back exactly.
std::string format_go_duration(Duration duration);

}  // namespace landfall
