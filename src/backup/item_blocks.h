#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "backup/item_groups.h"
#include "backup/item_table.h"
#include "base/result.h"

namespace landfall::backup {

// What one worker does in one go: a run of objects that stand one behind the other, or objects that belong together.
struct ItemBlock {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::vector<std::uint32_t> others;  // instead of a run
  bool has_pods = false;              // besides what belongs to them, maybe

  std::size_t size() const { return others.empty() ? count : others.size(); }
  std::size_t item(std::size_t i) const { return others.empty() ? first + i : others[i]; }
};

bool is_pods(const kube::ApiResource& resource);

// Divides the objects into blocks, in their order. What is `related` is one block, and so are pods that share a claim:
// the hooks of all of them have run before any of their data is taken. Objects that are to be taken in an order are one
// block a kind; everything else is handled in runs of a few dozen. `bytes` reads an object.
Result<std::vector<ItemBlock>> make_blocks(const ItemTable& table, ItemGroups related,
                                           const std::function<Status(std::size_t index, std::string& into)>& bytes);

}  // namespace landfall::backup
