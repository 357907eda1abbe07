#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "archive/archive_index.h"
#include "archive/item_path.h"
#include "base/result.h"

namespace landfall::archive {

// Makes an ArchiveIndex, path by path in the archive's order. Used by one thread.
class ArchiveIndexBuilder {
 public:
  // `size` limits the memory of the index, `directories` the versions of one resource: Kubernetes' own have three at
  // most.
  explicit ArchiveIndexBuilder(std::uint64_t size, std::size_t directories = 100);

  // What is known of a path before it is added.
  struct Place {
    std::uint32_t resource = 0;
    std::uint32_t namespace_id = 0;
    std::uint32_t directory = 0;
    std::optional<std::uint32_t> object;
    std::optional<Extent> same_path;   // the path is there already, with this content
    std::optional<Extent> first_form;  // the object is, and this is the content of its first path
  };
  // kTooLarge past a limit.
  Result<Place> place(const ItemPath& path);
  // Adds a path for which there was no `same_path`. `place` is of the call of place() just before.
  Status add(const ItemPath& path, const Place& place, Extent content);

  std::unique_ptr<const ArchiveIndex> finish() &&;

 private:
  Status take(std::uint64_t bytes);
  Result<std::uint32_t> resource_of(const k8s::GroupResource& resource);
  Result<std::uint32_t> directory_of(IndexedResource& resource, const ItemPath& path);
  Result<std::uint32_t> namespace_of(std::string_view name);
  Result<std::uint32_t> add_object(const ItemPath& path, const Place& place);
  void append_form(std::uint32_t object, std::uint32_t directory, Extent content);
  void grow_slots();
  void count_items();
  void sort_objects();

  const std::uint64_t size_;
  const std::size_t directories_;
  std::unique_ptr<ArchiveIndex> index_;
  std::uint64_t taken_ = 0;  // of size_
};

}  // namespace landfall::archive
