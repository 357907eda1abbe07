#include "archive/name_set.h"

#include <utility>

namespace landfall::archive {
namespace {

constexpr std::size_t kFirstSlots = 64;

}  // namespace

bool NameSet::insert(std::uint64_t hash) {
  hash += hash == 0 ? 1 : 0;  // 0 means free
  if ((size_ + 1) * 8 > slots_.size() * 7) {
    grow();
  }
  std::uint64_t& slot = slots_[place(hash)];
  if (slot == hash) {
    return false;
  }
  slot = hash;
  ++size_;
  return true;
}

std::size_t NameSet::place(std::uint64_t hash) const {
  std::size_t at = hash % slots_.size();
  while (slots_[at] != 0 && slots_[at] != hash) {
    at = at + 1 == slots_.size() ? 0 : at + 1;
  }
  return at;
}

// By half, not to twice: a table that has just grown would be mostly air.
void NameSet::grow() {
  const std::vector<std::uint64_t> old =
      std::exchange(slots_, std::vector<std::uint64_t>(slots_.empty() ? kFirstSlots : slots_.size() * 3 / 2));
  for (const std::uint64_t hash : old) {
    if (hash != 0) {
      slots_[place(hash)] = hash;
    }
  }
}

}  // namespace landfall::archive
