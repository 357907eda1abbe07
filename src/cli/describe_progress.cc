#include "cli/describe_progress.h"

#include <fmt/format.h>

#include "cli/describe_parts.h"
#include "progress/format.h"
#include "terminal/text_width.h"

namespace landfall::cli {

std::string pace_lines(const progress::ItemProgress& progress, WallTime now) {
  std::string part = fmt::format("\tStep:\t{}\n", progress::to_string(progress.step));
  if (!progress.current.empty()) part += fmt::format("\tNow:\t{}\n", terminal::printable(progress.current));
  if (progress.items_per_minute) {
    part += fmt::format("\tRate:\t{} items a minute\n", progress::format_count(*progress.items_per_minute));
  }
  if (const auto& end = progress.estimated_completion) {
    const std::string in = *end > now ? fmt::format(" (in {})", progress::format_duration(*end - now)) : "";
    part += fmt::format("\tEstimated completion:\t{}{}\n", time_or(end, ""), in);
  }
  if (const auto& stall = progress.stalled) {
    const std::string why = stall->reason.empty() ? "the reason is not known" : stall->reason;
    const std::string item = stall->item.empty() ? "" : " (" + stall->item + ")";
    part += fmt::format("\tStalled:\tfor {}: {}\n", progress::format_duration(now - stall->since),
                        terminal::printable(why + item));
  }
  return part;
}

}  // namespace landfall::cli
