#include "archive/indexed_item.h"

#include "archive/archive_index.h"
#include "archive/item_path.h"

namespace landfall::archive {

const k8s::GroupResource& IndexedItem::resource() const {
  return index_->resources_[index_->objects_[number_].resource].resource;
}

std::string_view IndexedItem::namespace_name() const {
  return index_->namespaces_.text(index_->objects_[number_].namespace_id);
}

std::string_view IndexedItem::name() const { return index_->name_of(index_->objects_[number_]); }

std::optional<Extent> IndexedItem::content() const {
  const ArchiveIndex::Form* plain = index_->form_of(index_->objects_[number_], ArchiveIndex::kPlain);
  return plain != nullptr ? std::optional(Extent{plain->offset, plain->size}) : std::nullopt;
}

std::vector<ItemVersion> IndexedItem::versions() const {
  const ArchiveIndex::Object& object = index_->objects_[number_];
  const auto& directories = index_->resources_[object.resource].versions;
  std::vector<ItemVersion> versions;
  for (std::uint32_t at = object.first_form; at != ArchiveIndex::kNoForm; at = index_->forms_[at].next) {
    const ArchiveIndex::Form& form = index_->forms_[at];
    if (form.directory != ArchiveIndex::kPlain) {
      const ResourceVersion& directory = directories[form.directory - 1];
      versions.push_back({directory.version, directory.is_preferred, {form.offset, form.size}});
    }
  }
  return versions;
}

std::string IndexedItem::path() const {
  return ItemPath{.resource = resource(), .namespace_name = std::string(namespace_name()), .name = std::string(name())}
      .to_string();
}

}  // namespace landfall::archive
