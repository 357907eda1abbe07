#include "plugin_local/task_meter.h"

#include <algorithm>
#include <utility>

namespace landfall::plugin_local {
namespace {

constexpr Duration kBetweenLooks = std::chrono::milliseconds(250);

}  // namespace

TaskMeter::TaskMeter(const Layout& layout, const Task& task, Clock& clock, std::stop_token stop)
    : layout_(layout),
      task_(task),
      clock_(clock),
      stop_(std::move(stop)),
      counts_(task.counts),
      shown_(task.counts),
      began_(clock.now()),
      next_look_(clock.now()) {}

Status TaskMeter::check() {
  if (stop_.stop_requested()) is_cancelled_ = true;
  if (clock_.now() >= next_look_) {
    if (is_asked_to_cancel(layout_, task_)) is_cancelled_ = true;
    flush();
    next_look_ = clock_.after(kBetweenLooks);
  }
  if (is_cancelled_) return fail(Code::kCancelled, "cancelled");
  return {};
}

void TaskMeter::change(const std::function<void(Counts&)>& change) {
  counts_.with([&](Counts& counts) { change(counts); });
}

// What cannot be written is not worth failing for: the copy itself will meet the same fault.
void TaskMeter::flush() {
  Counts next = counts();
  next.bytes_done = std::max(next.bytes_done, shown().bytes_done);
  next.total_bytes = std::max(next.total_bytes, next.bytes_done);
  if (!save_counts(layout_, task_, next)) return;
  shown_.with([&](Counts& shown) { shown = next; });
}

Status TaskMeter::skip(std::uint64_t bytes) {
  const auto more = static_cast<std::int64_t>(bytes);
  counts_.with([&](Counts& counts) {
    counts.bytes_done += more;
    // A file has grown since it was counted.
    counts.total_bytes = std::max(counts.total_bytes, counts.bytes_done);
  });
  return check();
}

Status TaskMeter::add(std::uint64_t bytes) {
  TRY("", skip(bytes));
  passed_ += static_cast<std::int64_t>(bytes);
  const std::int64_t rate = task_.settings.bytes_per_second;
  if (rate <= 0) return {};
  const auto due = std::chrono::duration_cast<Duration>(
      std::chrono::duration<double>(static_cast<double>(passed_) / static_cast<double>(rate)));
  while (clock_.now() - began_ < due) {
    const Duration rest = due - (clock_.now() - began_);
    clock_.sleep_for(std::min(rest, kBetweenLooks), stop_);
    TRY("", check());
  }
  return {};
}

}  // namespace landfall::plugin_local
