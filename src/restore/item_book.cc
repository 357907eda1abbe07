#include "restore/item_book.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace landfall::restore {

std::string_view to_string(Listed listed) {
  switch (listed) {
    case Listed::kCreated:
      return "created";
    case Listed::kUpdated:
      return "updated";
    case Listed::kFailed:
      return "failed";
    case Listed::kSkipped:
      return "skipped";
    case Listed::kNot:
      break;
  }
  return "";
}

ItemBook::ItemBook(std::size_t items) {
  all_.update([items](All& all) { all.items.resize(items); });
}

// Whether `who` is, over any number of steps, waiting for `whom`. Nobody waits for two things, so this is a walk.
bool ItemBook::waits_for(const All& all, Worker who, Worker whom) {
  for (std::size_t steps = 0; steps <= all.waits.size(); ++steps) {
    if (who == whom) return true;
    const auto waits = all.waits.find(who);
    if (waits == all.waits.end()) return false;
    const auto holder = all.holders.find(waits->second);
    if (holder == all.holders.end()) return false;
    who = holder->second;
  }
  return true;
}

ItemBook::Claim ItemBook::claim(std::uint32_t number, Worker worker, Clock& clock, const std::stop_token& stop) {
  const auto attempt = [&](All& all) -> std::optional<Claim> {
    State& state = all.items[number];
    if (state.stage == Stage::kOver) return Claim::kOver;
    if (state.stage == Stage::kHeld) {
      if (waits_for(all, all.holders[number], worker)) return Claim::kCycle;
      all.waits[worker] = number;
      return std::nullopt;
    }
    state.stage = Stage::kHeld;
    all.holders[number] = worker;
    return Claim::kMine;
  };
  std::optional<Claim> got = all_.update(attempt);
  while (!got) {
    // Somebody else's waiting may close a circle meanwhile, and then it is the one that goes on.
    const bool is_free =
        all_.wait_until(clock, stop, kNever, [&](const All& all) { return all.items[number].stage != Stage::kHeld; });
    all_.update([&](All& all) { all.waits.erase(worker); });
    if (!is_free) return Claim::kStopped;
    got = all_.update(attempt);
  }
  return *got;
}

std::uint16_t ItemBook::type_number(All& all, const std::string& type) {
  const auto found = std::ranges::find(all.types, type);
  if (found != all.types.end()) return static_cast<std::uint16_t>(found - all.types.begin());
  // An archive with more types than that is not from a cluster; what comes later is listed under the first.
  if (all.types.size() >= std::numeric_limits<std::uint16_t>::max()) return 0;
  all.types.push_back(type);
  return static_cast<std::uint16_t>(all.types.size() - 1);
}

void ItemBook::end(std::uint32_t number, ItemEnd end) {
  all_.update([&](All& all) {
    State& state = all.items[number];
    state = {.stage = Stage::kOver, .listed = end.listed, .exists = end.exists, .type = type_number(all, end.type)};
    all.holders.erase(number);
    if (!end.created_name.empty()) all.created_names[number] = std::move(end.created_name);
    if (!end.findings.empty()) all.findings[number] = std::move(end.findings);
    if (end.forecast) all.forecasts[number] = *std::move(end.forecast);
  });
}

void ItemBook::give_up(std::uint32_t number) {
  all_.update([&](All& all) {
    all.items[number].stage = Stage::kNew;
    all.holders.erase(number);
  });
}

bool ItemBook::is_over(std::uint32_t number) const {
  return all_.with([&](const All& all) { return all.items[number].stage == Stage::kOver; });
}

bool ItemBook::exists(std::uint32_t number) const {
  return all_.with([&](const All& all) { return all.items[number].exists; });
}

std::vector<ItemBook::Entry> ItemBook::ended() const {
  return all_.with([](const All& all) {
    std::vector<Entry> entries;
    for (std::uint32_t number = 0; number < all.items.size(); ++number) {
      const State& state = all.items[number];
      if (state.stage != Stage::kOver) continue;
      const auto name = all.created_names.find(number);
      entries.push_back({.number = number,
                         .listed = state.listed,
                         .type = all.types[state.type],
                         .created_name = name == all.created_names.end() ? std::string_view() : name->second});
    }
    return entries;
  });
}

std::vector<Finding> ItemBook::findings() const {
  return all_.with([](const All& all) {
    std::vector<Finding> found;
    for (const auto& [number, findings] : all.findings) found.insert(found.end(), findings.begin(), findings.end());
    return found;
  });
}

std::optional<PlannedGroup::Forecast> ItemBook::forecast(std::uint32_t number) const {
  return all_.with([&](const All& all) -> std::optional<PlannedGroup::Forecast> {
    const auto found = all.forecasts.find(number);
    if (found == all.forecasts.end()) return std::nullopt;
    return found->second;
  });
}

}  // namespace landfall::restore
