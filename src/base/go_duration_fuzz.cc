// Reads the bytes as a duration and as a time; what can be read is written and read again.

#include <cstdint>
#include <string_view>

#include "base/go_duration.h"
#include "base/rfc3339.h"

namespace {

void require(bool holds) {
  if (!holds) {
    __builtin_trap();
  }
}

}  // namespace

// The name is libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes as text.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto duration = landfall::parse_go_duration(text)) {
    require(landfall::parse_go_duration(landfall::format_go_duration(*duration)) == *duration);
  }
  if (const auto moment = landfall::parse_rfc3339(text)) {
    require(landfall::parse_rfc3339(landfall::format_rfc3339_nano(*moment)) == *moment);
    require(landfall::parse_rfc3339(landfall::format_rfc3339_micro(*moment)) ==
            std::chrono::floor<std::chrono::microseconds>(*moment));
    require(landfall::format_go_time(*moment).ends_with(" +0000 UTC"));
  }
  return 0;
}
