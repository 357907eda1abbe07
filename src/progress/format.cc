#include "progress/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/utf8.h"

namespace landfall::progress {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

std::string_view words(ItemStep step) {
  switch (step) {
    case ItemStep::kCollecting:
      return "collecting";
    case ItemStep::kBackingUpItems:
      return "backing up items";
    case ItemStep::kBackingUpVolumes:
      return "backing up volumes";
    case ItemStep::kUploading:
      return "uploading";
    case ItemStep::kRestoringItems:
      return "restoring items";
    case ItemStep::kRestoringVolumes:
      return "restoring volumes";
    case ItemStep::kRunningHooks:
      return "running hooks";
    case ItemStep::kFinalizing:
      break;
  }
  return "finalizing";
}

std::string_view words(ByteStep step) {
  switch (step) {
    case ByteStep::kScanning:
      return "scanning";
    case ByteStep::kTransferring:
      return "transferring";
    case ByteStep::kFinishing:
      break;
  }
  return "finishing";
}

bool is_about_items(ItemStep step) { return step == ItemStep::kBackingUpItems || step == ItemStep::kRestoringItems; }

// Names and reasons come from outside: what is not plain text becomes a space.
std::string one_line(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Rune rune = first_rune(text);
    if (rune.valid && is_printable(rune.value)) {
      out += text.substr(0, rune.size);
    } else {
      out += ' ';
    }
    text.remove_prefix(rune.size);
  }
  return out;
}

std::string ratio(std::string_view done, std::string_view total, int part) {
  return fmt::format("{}/{} ({} %)", done, total, part);
}

// ", 3,110/min, about 2m45s left", or in its place how long it has been stalled.
std::string pace_text(const std::string& rate, const std::optional<WallTime>& completion,
                      const std::optional<Stall>& stalled, WallTime now) {
  if (stalled) {
    const std::string reason = stalled->reason.empty() ? "" : fmt::format(": {}", one_line(stalled->reason));
    const std::string item = stalled->item.empty() ? "" : fmt::format(" ({})", one_line(stalled->item));
    return fmt::format(", stalled for {}{}{}", format_duration(now - stalled->since), reason, item);
  }
  std::string text;
  if (!rate.empty()) {
    text += fmt::format(", {}", rate);
  }
  if (completion && *completion > now) {
    text += fmt::format(", about {} left", format_duration(*completion - now));
  }
  return text;
}

std::string counts_text(const ItemProgress& progress) {
  const ItemCounts& items = progress.items;
  if (!items.total) {
    return items.in_backup > 0 ? fmt::format(", {} items in the backup", format_count(items.in_backup)) : "";
  }
  return (is_about_items(progress.step) ? " " : ", items ") +
         ratio(format_count(items.done), format_count(*items.total), percent(items.done, *items.total));
}

}  // namespace

std::string format_line(const ItemProgress& progress, WallTime now) {
  std::string line = std::string(words(progress.step)) + counts_text(progress);
  if (const std::int64_t failed = progress.items.outcomes.failed; failed > 0) {
    line += fmt::format(", {} failed", format_count(failed));
  }
  // Where items are handled, which one it is changes too fast to be worth a place in the line.
  if (!is_about_items(progress.step) && !progress.current.empty()) {
    line += fmt::format(", {}", one_line(progress.current));
  }
  const std::string rate = progress.items_per_minute ? format_count(*progress.items_per_minute) + "/min" : "";
  return line + pace_text(rate, progress.estimated_completion, progress.stalled, now);
}

std::string format_line(const ByteProgress& progress, WallTime now) {
  std::string line(words(progress.step));
  if (const auto total = progress.bytes.total) {
    const ByteCount done = progress.bytes.done;
    line += ' ';
    line += ratio(to_string(done), to_string(*total), percent(done.count(), total->count()));
  }
  const std::string rate = progress.bytes_per_second ? to_string(*progress.bytes_per_second) + "/s" : "";
  return line + pace_text(rate, progress.estimated_completion, progress.stalled, now);
}

std::string format_bar(std::int64_t done, std::optional<std::int64_t> total, int width) {
  if (width < 3) {
    return {};
  }
  const auto cells = static_cast<std::size_t>(width - 2);
  std::size_t filled = 0;
  if (total && done >= *total) {
    filled = cells;
  } else if (total && done > 0) {
    const double share = static_cast<double>(done) / static_cast<double>(*total);
    filled = std::min(static_cast<std::size_t>(share * static_cast<double>(cells)), cells - 1);
  }
  std::string bar(cells + 2, ' ');
  bar.front() = '[';
  bar.back() = ']';
  std::fill_n(bar.begin() + 1, filled, '#');
  if (total && done > 0 && filled < cells) {
    bar[filled + 1] = '>';
  }
  return bar;
}

int percent(std::int64_t done, std::int64_t total) {
  if (done >= total) {
    return 100;
  }
  const double share = static_cast<double>(std::max<std::int64_t>(done, 0)) / static_cast<double>(total);
  return std::min(static_cast<int>(share * 100), 99);
}

std::string format_count(std::int64_t count) {
  std::string text = std::to_string(count);
  const std::size_t first = count < 0 ? 1 : 0;
  for (std::size_t place = text.size(); place > first + 3;) {
    place -= 3;
    text.insert(place, 1, ',');
  }
  return text;
}

std::string format_duration(Duration duration) {
  const auto whole = std::max(std::chrono::round<seconds>(duration), seconds(0));
  if (whole < minutes(1)) {
    return fmt::format("{}s", whole.count());
  }
  if (whole < minutes(10)) {
    return fmt::format("{}m{:02}s", whole / minutes(1), whole % minutes(1) / seconds(1));
  }
  const auto near_minutes = std::chrono::round<minutes>(whole);
  if (near_minutes < hours(1)) {
    return fmt::format("{}m", near_minutes.count());
  }
  if (near_minutes < days(2)) {
    return fmt::format("{}h{:02}m", near_minutes / hours(1), near_minutes % hours(1) / minutes(1));
  }
  const auto near_hours = std::chrono::round<hours>(whole);
  return fmt::format("{}d{}h", near_hours / days(1), near_hours % days(1) / hours(1));
}

}  // namespace landfall::progress
