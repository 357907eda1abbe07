#include "backup/item_table.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace landfall::backup {
namespace {

bool same_kind(const kube::ApiResource& a, const kube::ApiResource& b) {
  return &a == &b || (a.id.group == b.id.group && a.id.resource == b.id.resource);
}

}  // namespace

Status ItemTable::append(ItemBatch batch) {
  if (size_ + batch.size() >= std::numeric_limits<std::uint32_t>::max()) {
    return fail(Code::kTooLarge, "more objects than one backup can hold");
  }
  if (batch.size() == 0) return {};
  first_.push_back(size_);
  size_ += batch.size();
  batches_.push_back(std::move(batch));
  return {};
}

void ItemTable::seal() {
  claimed_ = std::make_unique<std::atomic<bool>[]>(size_);
  slots_.assign(std::bit_ceil(size_ + size_ / 3 + 1), 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t index = 0; index < size_; ++index) {
    std::size_t slot = hash(name(index)) & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<std::uint32_t>(index + 1);
  }
}

std::size_t ItemTable::batch_of(std::size_t index) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(first_, index) - first_.begin()) - 1;
}

ItemName ItemTable::name(std::size_t index) const {
  const std::size_t number = batch_of(index);
  const ItemBatch& batch = batches_[number];
  const std::size_t place = index - first_[number];
  return {.resource = &batch.resource(), .name_space = batch.name_space(place), .name = batch.name(place)};
}

const ItemPlace& ItemTable::place(std::size_t index) const {
  const std::size_t number = batch_of(index);
  return batches_[number].place(index - first_[number]);
}

std::vector<ItemTable::Run> ItemTable::runs() const {
  std::vector<Run> runs;
  runs.reserve(batches_.size());
  for (std::size_t i = 0; i < batches_.size(); ++i) {
    runs.push_back({.resource = &batches_[i].resource(), .first = first_[i], .last = first_[i] + batches_[i].size()});
  }
  return runs;
}

std::optional<std::size_t> ItemTable::find(const ItemName& wanted) const {
  if (size_ == 0) return std::nullopt;
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
