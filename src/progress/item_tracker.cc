#include "progress/item_tracker.h"

namespace landfall::progress {
namespace {

// Of two outcomes of one item the one with the higher strength counts.
int strength(Outcome outcome) {
  switch (outcome) {
    case Outcome::kUnchanged:
      return 0;
    case Outcome::kSkipped:
      return 1;
    case Outcome::kUpdated:
      return 2;
    case Outcome::kCreated:
      return 3;
    case Outcome::kFailed:
      break;
  }
  return 4;
}

// Looks up by view, and makes a string only for a key that is new.
template <class Map>
typename Map::mapped_type& find_or_add(Map& map, std::string_view key) {
  const auto place = map.lower_bound(key);
  if (place != map.end() && place->first == key) {
    return place->second;
  }
  return map.emplace_hint(place, std::string(key), typename Map::mapped_type{})->second;
}

}  // namespace

void ItemTracker::seen(const ItemId& source) {
  Entry& from = entry(source);
  if (from.archived == Archived::kNo) {
    from.archived = Archived::kUndecided;
    ++archived_;
    ++undecided_;
  }
}

void ItemTracker::planned(const ItemId& target, const ItemId& source) {
  seen(source);
  added(target, source);
}

void ItemTracker::not_selected(const ItemId& source, std::string_view reason) {
  seen(source);
  Entry& from = entry(source);
  if (from.archived != Archived::kTaken) {
    refuse(from, reason);
  }
}

void ItemTracker::added(const ItemId& target, const ItemId& source) {
  Entry& to = entry(target);
  want(to);
  Entry& from = entry(source);
  if (from.archived == Archived::kNo || from.archived == Archived::kTaken) {
    return;
  }
  if (to.wanted == Wanted::kFromArchive) {
    refuse(from, kAlreadyCovered);
    return;
  }
  leave_set(from);
  from.archived = Archived::kTaken;
  to.wanted = Wanted::kFromArchive;
  ++from_archive_;
}

bool ItemTracker::done(const ItemId& target, Outcome outcome) {
  Entry& item = entry(target);
  want(item);
  const bool first = !item.done;
  if (!first && strength(outcome) <= strength(item.outcome)) {
    return false;
  }
  if (!first) {
    --outcomes_[item.outcome];
  }
  item.done = true;
  item.outcome = outcome;
  ++outcomes_[outcome];
  return first;
}

ItemCounts ItemTracker::counts() const {
  ItemCounts counts;
  counts.in_backup = archived_;
  for (const auto& [reason, index] : reasons_) {
    if (const std::int64_t count = reason_counts_.at(index); count > 0) {
      counts.not_selected_by_reason.emplace(reason, count);
      counts.not_selected += count;
    }
  }
  if (!collected_) {
    return counts;
  }
  if (undecided_ > 0) {
    counts.not_selected_by_reason[std::string(kNotConsidered)] += undecided_;
    counts.not_selected += undecided_;
  }
  counts.total = wanted_;
  counts.not_in_backup = wanted_ - from_archive_;
  counts.done = outcomes_.sum();
  counts.outcomes = outcomes_;
  return counts;
}

ItemTracker::Entry& ItemTracker::entry(const ItemId& id) {
  return find_or_add(find_or_add(find_or_add(kinds_, id.kind), id.ns), id.name);
}

void ItemTracker::want(Entry& target) {
  if (target.wanted == Wanted::kNo) {
    target.wanted = Wanted::kYes;
    ++wanted_;
  }
}

void ItemTracker::refuse(Entry& source, std::string_view reason) {
  leave_set(source);
  auto known = reasons_.find(reason);
  if (known == reasons_.end()) {
    known = reasons_.emplace(std::string(reason), static_cast<std::uint32_t>(reason_counts_.size())).first;
    reason_counts_.push_back(0);
  }
  source.archived = Archived::kRefused;
  source.reason = known->second;
  ++reason_counts_.at(source.reason);
}

// Takes a source that is about to be refused or taken out of the count it is in.
void ItemTracker::leave_set(const Entry& source) {
  if (source.archived == Archived::kRefused) {
    --reason_counts_.at(source.reason);
  } else {
    --undecided_;
  }
}

}  // namespace landfall::progress
