#include "backup/item_table.h"

#include <bit>
#include <limits>

namespace landfall::backup {
namespace {

bool same_kind(const kube::ApiResource& a, const kube::ApiResource& b) {
  return &a == &b || (a.id.group == b.id.group && a.id.resource == b.id.resource);
}

}  // namespace

Status ItemTable::append(ItemBatch batch) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint32_t>::max();
  if (names_.size() + batch.names_.size() > kMax || places_.size() + batch.size() >= kMax ||
      kinds_.size() >= std::numeric_limits<std::uint16_t>::max()) {
    return fail(Code::kTooLarge, "more objects than one backup can hold");
  }
  const auto shift = static_cast<std::uint32_t>(names_.size());
  const auto kind = static_cast<std::uint16_t>(kinds_.size());
  kinds_.push_back(batch.resource_);
  names_ += batch.names_;
  for (ItemPlace place : batch.places_) {
    place.name_at += shift;
    place.name_space_at += shift;
    place.kind = kind;
    places_.push_back(place);
  }
  return {};
}

void ItemTable::seal() {
  names_.shrink_to_fit();
  places_.shrink_to_fit();
  claimed_ = std::make_unique<std::atomic<bool>[]>(places_.size());
  slots_.assign(std::bit_ceil(places_.size() + places_.size() / 3 + 1), 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t index = 0; index < places_.size(); ++index) {
    std::size_t slot = hash(name(index)) & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<std::uint32_t>(index + 1);
  }
}

ItemName ItemTable::name(std::size_t index) const {
  const ItemPlace& place = places_[index];
  const std::string_view names = names_;
  return {.resource = kinds_[place.kind],
          .name_space = names.substr(place.name_space_at, place.name_space_length),
          .name = names.substr(place.name_at, place.name_length)};
}

std::optional<std::size_t> ItemTable::find(const ItemName& wanted) const {
  if (places_.empty()) return std::nullopt;
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash(wanted) & mask; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const std::size_t index = slots_[slot] - 1;
    const ItemName found = name(index);
    if (found.name == wanted.name && found.name_space == wanted.name_space &&
        same_kind(*found.resource, *wanted.resource)) {
      return index;
    }
  }
  return std::nullopt;
}

std::uint64_t ItemTable::hash(const ItemName& name) const {
  return hasher_(hasher_(name.name_space.size(), name.name_space) ^
                     hasher_(name.resource->id.group.size(), name.resource->id.resource),
                 name.name);
}

}  // namespace landfall::backup
