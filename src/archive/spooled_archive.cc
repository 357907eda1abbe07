#include "archive/spooled_archive.h"

#include <utility>

#include "archive/archive_index_builder.h"
#include "archive/spool_buffer.h"
#include "io/tar_name.h"

namespace landfall::archive {
namespace {

// Puts one item into the spool and the index.
Status spool_item(const ItemPath& path, std::string_view content, SpoolBuffer& spool, ArchiveIndexBuilder& index) {
  TRY_ASSIGN(const ArchiveIndexBuilder::Place place, "", index.place(path));
  if (place.same_path) {
    TRY_ASSIGN(const bool is_same, "", spool.equals(*place.same_path, content));
    if (!is_same) {
      return fail(Code::kInvalid, "the path is there twice with different contents");
    }
    return {};
  }
  if (place.first_form) {
    TRY_ASSIGN(const bool is_copy, "", spool.equals(*place.first_form, content));
    if (is_copy) {
      return index.add(path, place, *place.first_form);
    }
  }
  TRY_ASSIGN(const Extent extent, "", spool.append(content));
  return index.add(path, place, extent);
}

}  // namespace

Result<SpooledArchive> SpooledArchive::read(io::Reader& archive, const SpoolOptions& options,
                                            const std::stop_token& stop, const OnEntry& on_entry) {
  TRY_ASSIGN(io::SpoolFile file, "spool archive", io::SpoolFile::create(options.directory));
  SpoolBuffer spool(file);
  ArchiveIndexBuilder index(options.limits.index_size);
  ArchiveReader reader(archive, options.limits, stop);
  while (true) {
    TRY_ASSIGN(const ArchiveEntry* entry, "", reader.next());
    if (entry == nullptr) {
      break;
    }
    if (entry->item) {
      TRY_ASSIGN(const std::string_view content, "", reader.content());
      TRY("archive: entry " + io::quote_name(entry->name), spool_item(*entry->item, content, spool, index));
    }
    if (on_entry) {
      on_entry(reader.progress());
    }
  }
  TRY("spool archive", spool.flush());
  TRY("spool archive", file.close());
  return SpooledArchive(std::move(file), std::move(index).finish(), reader.facts());
}

Result<std::string> SpooledArchive::content(const IndexedItem& item) const {
  const auto extent = item.content();
  if (!extent) {
    return fail(Code::kNotFound, item.path() + " stands only in directories of versions");
  }
  TRY_ASSIGN(std::string bytes, item.path(), content(*extent));
  return bytes;
}

Result<std::string> SpooledArchive::content(const Extent& extent) const {
  if (extent.offset > spool_.size() || extent.size > spool_.size() - extent.offset) {
    return fail(Code::kInvalid, "not a content of this archive");
  }
  std::string bytes(extent.size, '\0');
  TRY("", spool_.read_at(extent.offset, bytes));
  return bytes;
}

}  // namespace landfall::archive
