#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/keyed_hash.h"
#include "backup/item_batch.h"
#include "base/result.h"
#include "io/spool_file.h"
#include "kube/discovery.h"

namespace landfall::backup {

// One object, by name. Borrows its texts.
struct ItemName {
  const kube::ApiResource* resource = nullptr;
  std::string_view name_space;
  std::string_view name;
};

// All objects that were collected, in the order in which they are backed up. The objects are in a file; a name, a place
// and a few bytes to find it by are in memory: about 70 bytes an object.
//
// Filled by one thread, then immutable but for claims, and thread-safe.
class ItemTable {
 public:
  ItemTable() = default;

  // Takes the objects over, behind those that are there.
  Status append(ItemBatch batch);
  // Nothing more comes: from here on objects can be found and claimed.
  void seal();

  std::size_t size() const { return size_; }
  ItemName name(std::size_t index) const;
  const ItemPlace& place(std::size_t index) const;
  // Objects of one kind stand one behind the other: the numbers of the first, and of the one behind the last.
  struct Run {
    const kube::ApiResource* resource = nullptr;
    std::size_t first = 0;
    std::size_t last = 0;
  };
  std::vector<Run> runs() const;
  // Of that name, if it was collected. Kinds are told apart by group and resource.
  std::optional<std::size_t> find(const ItemName& name) const;

  // True for the first who asks: an object is backed up once, whoever asks for it.
  bool claim(std::size_t index) { return !claimed_[index].exchange(true, std::memory_order_relaxed); }
  bool is_claimed(std::size_t index) const { return claimed_[index].load(std::memory_order_relaxed); }

 private:
  std::uint64_t hash(const ItemName& name) const;
  // The batch that an object is in.
  std::size_t batch_of(std::size_t index) const;

  std::vector<ItemBatch> batches_;
  std::vector<std::size_t> first_;  // number of each batch's first object
  std::size_t size_ = 0;
  archive::KeyedHash hasher_;
  std::vector<std::uint32_t> slots_;  // index + 1; 0 is free
  std::unique_ptr<std::atomic<bool>[]> claimed_;
};

}  // namespace landfall::backup
