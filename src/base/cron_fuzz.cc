// The first eight bytes are a moment, the rest is a schedule.

#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/cron.h"

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
  std::int64_t nanos = 0;
  if (size < sizeof nanos) {
    return 0;
  }
  std::memcpy(&nanos, data, sizeof nanos);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes as text.
  const std::string_view text(reinterpret_cast<const char*>(data) + sizeof nanos, size - sizeof nanos);
  const auto schedule = landfall::CronSchedule::parse(text);
  if (!schedule) {
    require(schedule.error().code() == landfall::Code::kInvalid);
    return 0;
  }
  landfall::WallTime moment{landfall::Duration(nanos)};
  for (int i = 0; i < 5; ++i) {
    const auto next = schedule->next(moment);
    if (!next) {
      break;
    }
    require(*next > moment);
    require(next->time_since_epoch() % std::chrono::seconds(1) == landfall::Duration(0));
    moment = *next;
  }
  return 0;
}
