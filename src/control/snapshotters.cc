#include "control/snapshotters.h"

#include <algorithm>
#include <vector>

#include "control/timed_snapshotter.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::control {

Result<Snapshotters::Opened> Snapshotters::get(const std::string& location, const std::stop_token& stop) {
  const bool is_first = entries_.update([&](Entries& entries) { return entries.try_emplace(location).second; });
  if (!is_first) {
    const auto is_ready = [&](const Entries& entries) {
      const auto found = entries.find(location);
      return found == entries.end() || !found->second.is_opening;
    };
    if (!entries_.wait_until(context_.clock, stop, kNever, is_ready)) return fail(Code::kCancelled, "stopped");
    return entries_.with([&](const Entries& entries) -> Result<Opened> {
      const auto found = entries.find(location);
      if (found == entries.end()) return fail(Code::kUnavailable, "volume snapshot location " + location + " failed");
      if (found->second.error) return tl::unexpected<Error>(*found->second.error);
      return found->second.opened;
    });
  }
  auto opened = context_.locations.open_snapshots(location, log_, stop);
  Entry entry{.is_opening = false, .opened = {}, .error = {}};
  if (opened) {
    opened->snapshotter =
        std::make_unique<TimedSnapshotter>(std::move(opened->snapshotter), context_.clock, TimedSnapshotter::Limits{});
    entry.opened = std::make_shared<const location::OpenedSnapshotLocation>(*std::move(opened));
  } else {
    entry.error = opened.error();
  }
  // Who was stopped over it says nothing about the location.
  const bool is_kept = !entry.error || !stop.stop_requested();
  entries_.update([&](Entries& entries) {
    if (is_kept) {
      entries[location] = entry;
    } else {
      entries.erase(location);
    }
  });
  if (entry.error) return tl::unexpected<Error>(*entry.error);
  return entry.opened;
}

void Snapshotters::forget_failures() {
  entries_.update([](Entries& entries) {
    std::erase_if(entries, [](const auto& entry) { return entry.second.error.has_value(); });
  });
}

std::shared_ptr<Snapshotters> SnapshotSessions::of(const Context& context, const json::Json& owner, const Logger& log) {
  const k8s::ObjectView view(owner);
  const Key key{.kind = std::string(view.kind()), .name = std::string(view.name()), .uid = std::string(view.uid())};
  return all_.with([&](All& all) {
    std::shared_ptr<Snapshotters>& one = all[key];
    if (!one) one = std::make_shared<Snapshotters>(context, log);
    return one;
  });
}

void SnapshotSessions::drop(const api::Kind& kind, const std::string& name) {
  std::vector<std::shared_ptr<Snapshotters>> gone;  // closed outside of the lock: a plugin takes a while to end
  all_.with([&](All& all) {
    for (auto one = all.lower_bound({.kind = std::string(kind.name), .name = name, .uid = {}}); one != all.end();) {
      if (one->first.kind != kind.name || one->first.name != name) break;
      gone.push_back(std::move(one->second));
      one = all.erase(one);
    }
  });
}

}  // namespace landfall::control
