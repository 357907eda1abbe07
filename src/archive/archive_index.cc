#include "archive/archive_index.h"

#include <algorithm>

namespace landfall::archive {

const IndexedResource* ArchiveIndex::find(const k8s::GroupResource& resource) const {
  const auto number = resource_names_.find(k8s::to_string(resource));
  return number ? &resources_[*number] : nullptr;
}

std::optional<IndexedItem> ArchiveIndex::find(const k8s::GroupResource& resource, std::string_view namespace_name,
                                              std::string_view name) const {
  const auto resource_number = resource_names_.find(k8s::to_string(resource));
  const auto namespace_id = namespaces_.find(namespace_name);
  if (!resource_number || !namespace_id) {
    return std::nullopt;
  }
  const std::uint32_t number = slots_[slot_of(*resource_number, *namespace_id, name)];
  return number != kFreeSlot ? std::optional(IndexedItem(*this, number)) : std::nullopt;
}

std::vector<std::string_view> ArchiveIndex::namespaces(const IndexedResource& resource) const {
  std::vector<std::string_view> names;
  for (const Group& group : groups_of(resource)) {
    names.push_back(namespaces_.text(group.namespace_id));
  }
  return names;
}

std::size_t ArchiveIndex::memory_bytes() const {
  // A table's text stands beside some 100 bytes of string, list node and hash entry.
  constexpr std::size_t per_text = 100;
  const std::size_t texts = resource_names_.size() + namespaces_.size();
  return names_.capacity() + objects_.capacity() * sizeof(Object) + forms_.capacity() * sizeof(Form) +
         (slots_.capacity() + order_.capacity() + first_group_.capacity()) * sizeof(std::uint32_t) +
         groups_.capacity() * sizeof(Group) + resources_.capacity() * sizeof(IndexedResource) + texts * per_text +
         resource_names_.text_bytes() + namespaces_.text_bytes();
}

std::size_t ArchiveIndex::slot_of(std::uint32_t resource, std::uint32_t namespace_id, std::string_view name) const {
  const std::uint64_t owner = std::uint64_t{resource} << 32U | namespace_id;
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash_(owner, name) & mask;; at = (at + 1) & mask) {
    if (slots_[at] == kFreeSlot) {
      return at;
    }
    const Object& object = objects_[slots_[at]];
    if (object.resource == resource && object.namespace_id == namespace_id && name_of(object) == name) {
      return at;
    }
  }
}

std::string_view ArchiveIndex::name_of(const Object& object) const {
  return std::string_view(names_).substr(object.name_at, object.name_size);
}

const ArchiveIndex::Form* ArchiveIndex::form_of(const Object& object, std::uint32_t directory) const {
  std::uint32_t at = object.first_form;
  while (at != kNoForm && forms_[at].directory != directory) {
    at = forms_[at].next;
  }
  return at != kNoForm ? &forms_[at] : nullptr;
}

std::span<const ArchiveIndex::Group> ArchiveIndex::groups_of(const IndexedResource& resource) const {
  const auto number = static_cast<std::size_t>(&resource - resources_.data());
  const std::uint32_t begin = first_group_[number];
  return std::span(groups_).subspan(begin, first_group_[number + 1] - begin);
}

std::span<const std::uint32_t> ArchiveIndex::order_of(const IndexedResource& resource) const {
  const auto groups = groups_of(resource);  // never empty: a resource is known by an object
  return std::span(order_).subspan(groups.front().begin, groups.back().end - groups.front().begin);
}

std::span<const std::uint32_t> ArchiveIndex::order_of(const IndexedResource& resource,
                                                      std::string_view namespace_name) const {
  const auto wanted = namespaces_.find(namespace_name);
  const auto groups = groups_of(resource);
  const auto found = std::ranges::lower_bound(groups, wanted.value_or(kFreeSlot), {}, &Group::namespace_id);
  if (!wanted || found == groups.end() || found->namespace_id != *wanted) {
    return {};
  }
  return std::span(order_).subspan(found->begin, found->end - found->begin);
}

}  // namespace landfall::archive
