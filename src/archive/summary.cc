#include "archive/summary.h"

#include "archive/item_path.h"
#include "base/strings.h"
#include "io/gzip_reader.h"
#include "io/tar_reader.h"

namespace landfall::archive {
namespace {

constexpr std::size_t kStrangeShown = 10;
constexpr std::size_t kVersionLength = 64;

void count(Summary& summary, const io::TarEntry& entry) {
  if (entry.type == io::TarEntryType::kDirectory) {
    return;
  }
  const auto item = parse_item_path(entry.name);
  if (!item || entry.type != io::TarEntryType::kFile) {
    ++summary.strange_count;
    if (summary.strange.size() < kStrangeShown) {
      summary.strange.push_back(entry.name);
    }
    return;
  }
  if (!item->is_plain()) {
    return;  // a copy of an item that is counted under its plain path
  }
  ResourceSummary& resource = summary.resources[item->resource];
  ++resource.items;
  ++summary.items;
  resource.bytes += ByteCount(static_cast<std::int64_t>(entry.size));
  if (!item->namespace_name.empty()) {
    resource.namespaces.insert(item->namespace_name);
  }
}

}  // namespace

Result<Summary> summarize(io::Reader& archive, const std::stop_token& stop,
                          const std::function<void(std::string_view path)>& on_item) {
  io::GzipReader unzipped(archive);
  io::TarReader tar(unzipped);
  Summary summary;
  while (true) {
    TRY_ASSIGN(const io::TarEntry* entry, "archive", tar.next());
    if (entry == nullptr) {
      return summary;
    }
    if (stop.stop_requested()) {
      return fail(Code::kCancelled, "archive: stopped");
    }
    if (entry->name == kVersionFile) {
      TRY_ASSIGN(const std::string text, kVersionFile, io::read_all(tar.content(), kVersionLength));
      summary.format_version = trim(text);
    } else {
      count(summary, *entry);
      on_item(entry->name);
    }
  }
}

}  // namespace landfall::archive
