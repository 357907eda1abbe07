#include "archive/archive_index_builder.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

#include "base/quote.h"

namespace landfall::archive {

namespace {

// What a text costs beside its bytes: a string, its place in a table, and for a resource the struct. Rounded up.
constexpr std::uint64_t kTextCost = 100;
constexpr std::uint64_t kResourceCost = 2 * kTextCost + sizeof(IndexedResource);
// What an object costs beside its name and its struct: two places in the hash table, one in the order, and a group.
constexpr std::uint64_t kPlacesCost = 6 * sizeof(std::uint32_t);

}  // namespace

// Offsets of names have 32 bits.
ArchiveIndexBuilder::ArchiveIndexBuilder(std::uint64_t size, std::size_t directories)
    : size_(std::min<std::uint64_t>(size, std::numeric_limits<std::uint32_t>::max())),
      directories_(directories),
      index_(std::make_unique<ArchiveIndex>()) {}

Status ArchiveIndexBuilder::take(std::uint64_t bytes) {
  taken_ += bytes;
  if (taken_ > size_) {
    return fail(Code::kTooLarge, "the index of the archive takes more than " + std::to_string(size_) + " bytes");
  }
  return {};
}

Result<ArchiveIndexBuilder::Place> ArchiveIndexBuilder::place(const ItemPath& path) {
  ArchiveIndex& index = *index_;
  Place place;
  TRY_ASSIGN(place.resource, "", resource_of(path.resource));
  TRY_ASSIGN(place.directory, "", directory_of(index.resources_[place.resource], path));
  TRY_ASSIGN(place.namespace_id, "", namespace_of(path.namespace_name));

  const std::uint32_t number = index.slots_[index.slot_of(place.resource, place.namespace_id, path.name)];
  if (number != ArchiveIndex::kFreeSlot) {
    const ArchiveIndex::Object& object = index.objects_[number];
    const ArchiveIndex::Form& first = index.forms_[object.first_form];
    place.object = number;
    place.first_form = Extent{first.offset, first.size};
    if (const ArchiveIndex::Form* same = index.form_of(object, place.directory)) {
      place.same_path = Extent{same->offset, same->size};
    }
  }
  return place;
}

Result<std::uint32_t> ArchiveIndexBuilder::resource_of(const k8s::GroupResource& resource) {
  const std::string name = k8s::to_string(resource);
  const std::uint32_t number = index_->resource_names_.intern(name);
  if (number == index_->resources_.size()) {
    TRY("", take(2 * name.size() + kResourceCost));
    index_->resources_.push_back({.resource = resource});
  }
  return number;
}

Result<std::uint32_t> ArchiveIndexBuilder::namespace_of(std::string_view name) {
  const std::size_t known = index_->namespaces_.size();
  const std::uint32_t number = index_->namespaces_.intern(name);
  if (number == known) {
    TRY("", take(name.size() + kTextCost));
  }
  return number;
}

Result<std::uint32_t> ArchiveIndexBuilder::directory_of(IndexedResource& resource, const ItemPath& path) {
  if (path.is_plain()) {
    return ArchiveIndex::kPlain;
  }
  const auto found = std::ranges::find_if(resource.versions, [&](const ResourceVersion& version) {
    return version.version == path.version && version.is_preferred == path.is_preferred;
  });
  const auto at = static_cast<std::uint32_t>(found - resource.versions.begin());
  if (found == resource.versions.end()) {
    if (resource.versions.size() == directories_) {
      return fail(Code::kTooLarge, "resource " + quote(k8s::to_string(resource.resource)) + " has more than " +
                                       std::to_string(directories_) + " versions");
    }
    TRY("", take(path.version.size() + sizeof(ResourceVersion)));
    resource.versions.push_back({.version = path.version, .is_preferred = path.is_preferred});
  }
  return at + 1;
}

Status ArchiveIndexBuilder::add(const ItemPath& path, const Place& place, Extent content) {
  std::uint32_t number = 0;
  if (place.object) {
    number = *place.object;
  } else {
    TRY_ASSIGN(number, "", add_object(path, place));
  }
  TRY("", take(sizeof(ArchiveIndex::Form)));
  append_form(number, place.directory, content);

  IndexedResource& resource = index_->resources_[place.resource];
  if (place.directory == ArchiveIndex::kPlain) {
    ++resource.items;
    resource.bytes += ByteCount(static_cast<std::int64_t>(content.size));
  } else {
    ++resource.versions[place.directory - 1].objects;
  }
  return {};
}

Result<std::uint32_t> ArchiveIndexBuilder::add_object(const ItemPath& path, const Place& place) {
  ArchiveIndex& index = *index_;
  TRY("", take(path.name.size() + sizeof(ArchiveIndex::Object) + kPlacesCost));
  if (2 * (index.objects_.size() + 1) > index.slots_.size()) {
    grow_slots();
  }
  const auto number = static_cast<std::uint32_t>(index.objects_.size());
  index.slots_[index.slot_of(place.resource, place.namespace_id, path.name)] = number;
  index.objects_.push_back({.name_at = static_cast<std::uint32_t>(index.names_.size()),
                            .name_size = static_cast<std::uint32_t>(path.name.size()),
                            .resource = place.resource,
                            .namespace_id = place.namespace_id,
                            .first_form = ArchiveIndex::kNoForm});
  index.names_ += path.name;
  return number;
}

void ArchiveIndexBuilder::append_form(std::uint32_t object, std::uint32_t directory, Extent content) {
  std::vector<ArchiveIndex::Form>& forms = index_->forms_;
  const auto number = static_cast<std::uint32_t>(forms.size());
  forms.push_back(
      {.offset = content.offset, .size = content.size, .directory = directory, .next = ArchiveIndex::kNoForm});
  std::uint32_t* link = &index_->objects_[object].first_form;
  while (*link != ArchiveIndex::kNoForm) {
    link = &forms[*link].next;
  }
  *link = number;
}

void ArchiveIndexBuilder::grow_slots() {
  ArchiveIndex& index = *index_;
  index.slots_.assign(2 * index.slots_.size(), ArchiveIndex::kFreeSlot);
  for (std::uint32_t number = 0; number < index.objects_.size(); ++number) {
    const ArchiveIndex::Object& object = index.objects_[number];
    index.slots_[index.slot_of(object.resource, object.namespace_id, index.name_of(object))] = number;
  }
}

std::unique_ptr<const ArchiveIndex> ArchiveIndexBuilder::finish() && {
  count_items();
  sort_objects();
  index_->names_.shrink_to_fit();
  index_->objects_.shrink_to_fit();
  index_->forms_.shrink_to_fit();
  return std::move(index_);
}

void ArchiveIndexBuilder::count_items() {
  std::vector<std::int64_t> objects(index_->resources_.size());
  for (const ArchiveIndex::Object& object : index_->objects_) {
    ++objects[object.resource];
  }
  for (std::size_t i = 0; i < objects.size(); ++i) {
    IndexedResource& resource = index_->resources_[i];
    resource.only_in_versions = objects[i] - resource.items;
    index_->item_count_ += resource.items;
  }
}

void ArchiveIndexBuilder::sort_objects() {
  ArchiveIndex& index = *index_;
  index.order_.resize(index.objects_.size());
  std::iota(index.order_.begin(), index.order_.end(), 0U);
  std::ranges::sort(index.order_, {}, [&](std::uint32_t number) {
    const ArchiveIndex::Object& object = index.objects_[number];
    return std::tuple(object.resource, object.namespace_id, number);
  });
  for (std::uint32_t at = 0; at < index.order_.size(); ++at) {
    const ArchiveIndex::Object& object = index.objects_[index.order_[at]];
    const bool is_new_resource = index.first_group_.size() <= object.resource;
    if (is_new_resource) {
      index.first_group_.push_back(static_cast<std::uint32_t>(index.groups_.size()));
    }
    if (is_new_resource || index.groups_.back().namespace_id != object.namespace_id) {
      index.groups_.push_back({.namespace_id = object.namespace_id, .begin = at, .end = at});
    }
    index.groups_.back().end = at + 1;
  }
  index.first_group_.push_back(static_cast<std::uint32_t>(index.groups_.size()));
  index.groups_.shrink_to_fit();
}

}  // namespace landfall::archive
