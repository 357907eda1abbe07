#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace landfall::archive {

// The hashes of names that were seen, eight bytes each in an open table that is between a half and seven eighths full.
class NameSet {
 public:
  // False when it is there already. The hash must be evenly spread over its range.
  bool insert(std::uint64_t hash);
  std::size_t size() const { return size_; }
  std::size_t memory_bytes() const { return slots_.size() * sizeof(slots_[0]); }

 private:
  // Where the hash stands, or the free place where it belongs.
  std::size_t place(std::uint64_t hash) const;
  void grow();

  std::vector<std::uint64_t> slots_;  // 0: free
  std::size_t size_ = 0;
};

}  // namespace landfall::archive
