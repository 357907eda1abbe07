#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>

#include "archive/archive_limits.h"
#include "archive/archive_reader.h"
#include "archive/item_key.h"
#include "base/clock.h"
#include "io/gzip_writer.h"
#include "io/stream.h"

namespace landfall::archive {

// An item that takes the place of the one with the same path.
struct Replacement {
  ItemKey key;
  // Asked for when its place has come, once for each form, so that not all need to be in memory.
  std::function<Result<std::string>()> json;
};

struct RewriteOptions {
  WallTime written_at;  // of the entries that are replaced and appended; others keep their time
  ArchiveLimits limits{};
  io::GzipOptions gzip{};
};

struct RewriteCounts {
  std::int64_t replaced = 0;  // paths, not items: most items have two
  std::int64_t appended = 0;
  std::int64_t copied = 0;
};

// Streams an archive into a new one, as Velero's finaliser does: an entry with the path of a replacement is written in
// its place with the new content, every path of a replacement that is not there is appended, and all other files are
// copied in order, byte for byte with their time and mode. Only directories are left out, and names lose "./".
//
// Memory is bounded by one item and the replacements' keys. Errors: those of ArchiveReader, of item_paths(),
// kAlreadyExists for a path that two replacements claim, the sink's, and a replacement's own with its path.
// Nothing counts unless it succeeds: only then may the sink be closed, which is left to its owner.
Result<RewriteCounts> rewrite_archive(io::Reader& old_archive, std::span<const Replacement> replacements,
                                      const RewriteOptions& options, io::Writer& sink, const std::stop_token& stop,
                                      const OnEntry& on_entry);

}  // namespace landfall::archive
