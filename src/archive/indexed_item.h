#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "k8s/kinds.h"

namespace landfall::archive {

class ArchiveIndex;

// A piece of the spool that holds the content of an item.
struct Extent {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  friend bool operator==(const Extent&, const Extent&) = default;
};

// One of the version directories that hold an object.
struct ItemVersion {
  std::string_view version;   // "v1beta1"
  bool is_preferred = false;  // "v1beta1-preferredversion"
  Extent content;             // the plain form's own where the bytes are the same
  friend bool operator==(const ItemVersion&, const ItemVersion&) = default;
};

// One object of an archive: a light handle, valid as long as its index.
class IndexedItem {
 public:
  const k8s::GroupResource& resource() const;
  std::string_view namespace_name() const;  // empty for cluster scope
  std::string_view name() const;
  // The plain form. Nothing for an object that stands only in version directories: it is not an item of the backup, and
  // Summary does not count it.
  std::optional<Extent> content() const;
  // The version directories that hold it, in the archive's order. None in formats before 1.1.0.
  std::vector<ItemVersion> versions() const;
  // Its place in the archive's order, from 0 on: by it others keep what they know of it.
  std::uint32_t number() const { return number_; }
  // The plain path, whether the archive has it or not: what messages call the item.
  std::string path() const;

  friend bool operator==(const IndexedItem&, const IndexedItem&) = default;

 private:
  friend class ArchiveIndex;
  IndexedItem(const ArchiveIndex& index, std::uint32_t number) : index_(&index), number_(number) {}
  const ArchiveIndex* index_;
  std::uint32_t number_;
};

}  // namespace landfall::archive
