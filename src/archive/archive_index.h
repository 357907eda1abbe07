#pragma once

#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/indexed_item.h"
#include "archive/keyed_hash.h"
#include "archive/string_table.h"
#include "base/bytes.h"
#include "k8s/kinds.h"

namespace landfall::archive {

// A version directory of a resource.
struct ResourceVersion {
  std::string version;
  bool is_preferred = false;
  std::int64_t objects = 0;
};

struct IndexedResource {
  k8s::GroupResource resource;
  std::vector<ResourceVersion> versions;  // in the order in which the archive has them
  std::int64_t items = 0;                 // objects with a plain form: what Summary counts
  std::int64_t only_in_versions = 0;      // objects without
  ByteCount bytes;                        // of the plain forms
};

// Which objects an archive holds and where their contents are, in about 90 bytes an object and the text of its name.
// Immutable, so thread-safe. It stays where it was made: handles point into it.
class ArchiveIndex {
 public:
  // An empty one.
  ArchiveIndex() = default;
  ArchiveIndex(const ArchiveIndex&) = delete;
  ArchiveIndex& operator=(const ArchiveIndex&) = delete;
  ~ArchiveIndex() = default;

  // Objects, with and without a plain form.
  std::size_t size() const { return objects_.size(); }
  // Objects with one.
  std::int64_t item_count() const { return item_count_; }

  // In the order in which the archive first names them.
  std::span<const IndexedResource> resources() const { return resources_; }
  const IndexedResource* find(const k8s::GroupResource& resource) const;
  std::optional<IndexedItem> find(const k8s::GroupResource& resource, std::string_view namespace_name,
                                  std::string_view name) const;

  // By its number, below size().
  IndexedItem item(std::uint32_t number) const { return {*this, number}; }

  // All objects in the archive's order, by their first form.
  auto items() const {
    return std::views::iota(std::uint32_t{0}, static_cast<std::uint32_t>(size())) | std::views::transform(ToItem{this});
  }
  // Those of a resource of this index, namespace by namespace; within one in the archive's order.
  auto items(const IndexedResource& resource) const { return order_of(resource) | std::views::transform(ToItem{this}); }
  // Those in one namespace ("" for cluster scope); none where there are none.
  auto items(const IndexedResource& resource, std::string_view namespace_name) const {
    return order_of(resource, namespace_name) | std::views::transform(ToItem{this});
  }
  // The namespaces that a resource has objects in, in the order in which the archive first names them; "" for cluster
  // scope.
  std::vector<std::string_view> namespaces(const IndexedResource& resource) const;

  // What the index takes, for measurements.
  std::size_t memory_bytes() const;

 private:
  friend class ArchiveIndexBuilder;
  friend class IndexedItem;

  struct ToItem {
    const ArchiveIndex* index;
    IndexedItem operator()(std::uint32_t number) const { return {*index, number}; }
  };
  struct Object {
    std::uint32_t name_at = 0;  // in names_
    std::uint32_t name_size = 0;
    std::uint32_t resource = 0;
    std::uint32_t namespace_id = 0;
    std::uint32_t first_form = 0;
  };
  // One path of an object; those of one object are chained in the archive's order.
  struct Form {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint32_t directory = 0;  // kPlain, or the place in the resource's versions + 1
    std::uint32_t next = 0;       // kNoForm at the end
  };
  // The objects of a resource in one namespace: a range of order_.
  struct Group {
    std::uint32_t namespace_id = 0;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  static constexpr std::uint32_t kPlain = 0;
  static constexpr std::uint32_t kNoForm = UINT32_MAX;
  static constexpr std::uint32_t kFreeSlot = UINT32_MAX;
  static constexpr std::size_t kFirstSlots = 64;

  // Where the object stands in slots_, or the free slot where it belongs.
  std::size_t slot_of(std::uint32_t resource, std::uint32_t namespace_id, std::string_view name) const;
  std::string_view name_of(const Object& object) const;
  const Form* form_of(const Object& object, std::uint32_t directory) const;
  std::span<const Group> groups_of(const IndexedResource& resource) const;
  std::span<const std::uint32_t> order_of(const IndexedResource& resource) const;
  std::span<const std::uint32_t> order_of(const IndexedResource& resource, std::string_view namespace_name) const;

  KeyedHash hash_;
  StringTable resource_names_;              // "deployments.apps": numbers the resources
  std::vector<IndexedResource> resources_;  // by number
  StringTable namespaces_;
  std::string names_;
  std::vector<Object> objects_;
  std::vector<Form> forms_;
  // A hash table of numbers of objects; its size is a power of two.
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(kFirstSlots, kFreeSlot);
  std::vector<std::uint32_t> order_;        // numbers of objects by resource, namespace, place
  std::vector<Group> groups_;               // by resource, namespace
  std::vector<std::uint32_t> first_group_;  // by resource, and one past the last
  std::int64_t item_count_ = 0;
};

}  // namespace landfall::archive
