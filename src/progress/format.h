#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "progress/progress.h"

// Progress as plain text: pure functions, no colours, the same on every machine.

namespace landfall::progress {

// One line for a pipe or a log, without its end. Texts from outside cannot break the line or reach a terminal's
// controls.
//   restoring items 1,204/9,800 (12 %), 3 failed, 3,110/min, about 2m45s left
//   restoring items 1,204/9,800 (12 %), stalled for 45s: throttled (pods shop/web-0)
//   transferring 1.5 GiB/4.0 GiB (37 %), 52.1 MiB/s, about 50s left
std::string format_line(const ItemProgress& progress, WallTime now);
std::string format_line(const ByteProgress& progress, WallTime now);

// "[#####>    ]", `width` characters in all (at least 3, or nothing). Full only when all is done; empty without a
// total.
std::string format_bar(std::int64_t done, std::optional<std::int64_t> total, int width);

// Whole per cent, rounded down: 100 only when all is done. Nothing to do is all done.
int percent(std::int64_t done, std::int64_t total);

// 9,800
std::string format_count(std::int64_t count);

// As exact as one cares to read: "0s", "45s", "2m45s", from ten minutes on "12m", "1h05m", from two days on "3d4h".
std::string format_duration(Duration duration);

}  // namespace landfall::progress
