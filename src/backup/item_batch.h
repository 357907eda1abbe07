#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kube/discovery.h"

namespace landfall::backup {

// Where one collected object is: its bytes in the spool, its names among the names of its kind. 32 bytes.
struct ItemPlace {
  std::uint64_t offset = 0;
  std::uint32_t length = 0;
  std::uint32_t name_at = 0;
  std::uint32_t name_space_at = 0;
  std::uint16_t name_length = 0;
  std::uint16_t name_space_length = 0;  // 0 for cluster scope
  bool is_ordered = false;              // the backup asks for it by name, in an order
};

// The objects of one kind as they are collected. Not thread-safe.
class ItemBatch {
 public:
  explicit ItemBatch(const kube::ApiResource& resource) : resource_(&resource) {}

  const kube::ApiResource& resource() const { return *resource_; }
  void add(std::string_view name_space, std::string_view name, std::uint64_t offset, std::uint32_t length);
  // Forgets those behind the first `size`: their list begins anew.
  void truncate(std::size_t size) { places_.resize(size); }

  std::size_t size() const { return places_.size(); }
  std::string_view name(std::size_t index) const;
  std::string_view name_space(std::size_t index) const;
  // Puts them into another order: positions in the present one, each once. The first `ordered` are marked so.
  void reorder(const std::vector<std::size_t>& order, std::size_t ordered);
  const ItemPlace& place(std::size_t index) const { return places_[index]; }
  // Nothing more comes.
  void shrink();

 private:
  const kube::ApiResource* resource_;
  std::string names_;
  std::vector<ItemPlace> places_;
};

}  // namespace landfall::backup
