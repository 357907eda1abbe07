#pragma once

#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

// What kopia prints, for people: there is no other.
namespace landfall::kopia {

// How much is restored, from "Processed 8 (389.4 MB) of 12 (450 MB) 256.6 MB/s (86.5%) remaining 0s.": at least so
// much, and never more than the total. The numbers are rounded; where the percentage is of the total it says more.
std::optional<ByteCount> parse_restored(std::string_view said, ByteCount total);

// What it said right behind such a line, which has no end of its own: an error, most likely. All of another line.
std::string_view without_progress(std::string_view said);

// The size of all files of a snapshot, from what `manifest show` prints. kInvalid when it is none.
Result<ByteCount> parse_snapshot_size(std::string_view printed);

}  // namespace landfall::kopia
