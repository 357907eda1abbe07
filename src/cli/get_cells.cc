#include "cli/get_cells.h"

#include <fmt/format.h>

#include <chrono>

#include "api/progress_fields.h"
#include "cli/operation_words.h"
#include "json/json.h"
#include "progress/format.h"

namespace landfall::cli {
namespace {

// In the largest unit that there is one of, as kubectl rounds ages.
std::string short_text(Duration duration) {
  using std::chrono::days;
  using std::chrono::floor;
  using std::chrono::hours;
  using std::chrono::minutes;
  using std::chrono::seconds;
  constexpr days kYear(365);
  if (duration < minutes(1)) return fmt::format("{}s", floor<seconds>(duration).count());
  if (duration < hours(1)) return fmt::format("{}m", floor<minutes>(duration).count());
  if (duration < days(1)) return fmt::format("{}h", floor<hours>(duration).count());
  if (duration < kYear) return fmt::format("{}d", floor<days>(duration).count());
  return fmt::format("{}y", duration / kYear);
}

}  // namespace

std::string from_now_cell(std::optional<WallTime> time, WallTime now) {
  if (!time) return "n/a";
  return *time >= now ? short_text(*time - now) : short_text(now - *time) + " ago";
}

std::vector<std::string> progress_cells(const json::Json& operation, const Context& context) {
  const auto progress = api::read_item_progress(operation);
  if (!progress || !progress->items.total) return {"-", "-"};
  const progress::ItemCounts& items = progress->items;
  const auto& end = progress->estimated_completion;
  const WallTime now = context.clock.wall_now();
  return {fmt::format("{}/{} ({} %)", items.done, *items.total, progress::percent(items.done, *items.total)),
          end && *end > now && !is_over(operation) ? progress::format_duration(*end - now) : "-"};
}

}  // namespace landfall::cli
