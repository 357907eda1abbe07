#include "archive/summary.h"

#include "archive/archive_reader.h"

namespace landfall::archive {
namespace {

void count(Summary& summary, const ItemPath& item, std::uint64_t size) {
  if (!item.is_plain()) {
    return;  // a copy of an item that is counted under its plain path
  }
  ResourceSummary& resource = summary.resources[item.resource];
  ++resource.items;
  ++summary.items;
  resource.bytes += ByteCount(static_cast<std::int64_t>(size));
  if (!item.namespace_name.empty()) {
    resource.namespaces.insert(item.namespace_name);
  }
}

}  // namespace

Result<Summary> summarize(io::Reader& archive, const std::stop_token& stop,
                          const std::function<void(std::string_view path)>& on_item) {
  ArchiveReader reader(archive, ArchiveLimits(), stop);
  Summary summary;
  while (true) {
    TRY_ASSIGN(const ArchiveEntry* entry, "", reader.next());
    if (entry == nullptr) {
      break;
    }
    if (entry->item) {
      count(summary, *entry->item, entry->size);
      on_item(entry->name);
    }
  }
  summary.format_version = reader.facts().format_version;
  summary.strange = reader.facts().strange;
  summary.strange_count = reader.facts().strange_count;
  return summary;
}

}  // namespace landfall::archive
