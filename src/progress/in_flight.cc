#include "progress/in_flight.h"

#include <algorithm>

namespace landfall::progress {

void InFlight::start(const ItemId& item) {
  const bool is_known = std::ranges::any_of(items_, [&](const Owned& owned) { return owned.id() == item; });
  if (!is_known) {
    items_.push_back({.kind = std::string(item.kind), .ns = std::string(item.ns), .name = std::string(item.name)});
  }
}

void InFlight::stop(const ItemId& item) {
  const auto place = std::ranges::find_if(items_, [&](const Owned& owned) { return owned.id() == item; });
  if (place != items_.end()) {
    items_.erase(place);
  }
}

std::string InFlight::newest() const {
  if (items_.empty()) {
    return {};
  }
  std::string text = to_string(items_.back().id());
  if (items_.size() > 1) {
    text += " and " + std::to_string(items_.size() - 1) + " more";
  }
  return text;
}

std::string InFlight::oldest() const { return items_.empty() ? std::string() : to_string(items_.front().id()); }

}  // namespace landfall::progress
