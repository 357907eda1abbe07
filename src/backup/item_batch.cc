#include "backup/item_batch.h"

namespace landfall::backup {

void ItemBatch::add(std::string_view name_space, std::string_view name, std::uint64_t offset, std::uint32_t length) {
  ItemPlace place{.offset = offset, .length = length};
  // Lists come sorted by namespace: its name is kept once for a row of objects.
  if (!places_.empty() && this->name_space(places_.size() - 1) == name_space) {
    place.name_space_at = places_.back().name_space_at;
  } else {
    place.name_space_at = static_cast<std::uint32_t>(names_.size());
    names_ += name_space;
  }
  place.name_space_length = static_cast<std::uint16_t>(name_space.size());
  place.name_at = static_cast<std::uint32_t>(names_.size());
  place.name_length = static_cast<std::uint16_t>(name.size());
  names_ += name;
  places_.push_back(place);
}

std::string_view ItemBatch::name(std::size_t index) const {
  return std::string_view(names_).substr(places_[index].name_at, places_[index].name_length);
}

std::string_view ItemBatch::name_space(std::size_t index) const {
  return std::string_view(names_).substr(places_[index].name_space_at, places_[index].name_space_length);
}

void ItemBatch::shrink() {
  names_.shrink_to_fit();
  places_.shrink_to_fit();
}

void ItemBatch::reorder(const std::vector<std::size_t>& order, std::size_t ordered) {
  std::vector<ItemPlace> places;
  places.reserve(order.size());
  for (const std::size_t index : order) {
    places.push_back(places_[index]);
    places.back().is_ordered = places.size() <= ordered;
  }
  places_ = std::move(places);
}

}  // namespace landfall::backup
