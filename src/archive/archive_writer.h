#pragma once

#include <cstdint>
#include <string_view>

#include "archive/item_key.h"
#include "archive/keyed_hash.h"
#include "archive/name_set.h"
#include "base/clock.h"
#include "io/gzip_writer.h"
#include "io/stream.h"
#include "io/tar_writer.h"

namespace landfall::archive {

// What stands in `metadata/version`.
inline constexpr std::string_view kFormatVersion = "1.1.0";

// Streams items into a new archive as Velero lays it out: `metadata/version` first, then the items in the order in
// which they are added, every entry with mode 0755, owner 0 and the given time.
//
// The bytes of an item are passed through; nothing looks into them. Memory is that of the compressor (about 5 MiB a
// worker) and about 14 bytes an item, by which a name that comes twice is known: 64 bits of a keyed hash, not the name.
// Two names can therefore be taken for the same, once in some ten million archives of a million items.
//
// Nothing counts before close(). Not thread-safe; errors of the sink come out of any call and of every later one.
class ArchiveWriter {
 public:
  // The sink stays open: who owns it closes it after close() has succeeded.
  ArchiveWriter(io::Writer& sink, WallTime written_at, io::GzipOptions gzip = {});

  // Writes all paths of item_paths(key). kAlreadyExists when one is taken, kInvalid for a key that no path can hold,
  // kTooLarge for an item that no reader would take; all three change nothing, and the archive can go on.
  Status add(const ItemKey& key, std::string_view json);

  // Ends the archive. One without items is whole, too.
  Status close();

  std::int64_t items() const { return items_; }
  // How long the tar is so far, uncompressed.
  std::uint64_t position() const { return tar_.position(); }

 private:
  Status begin();

  const WallTime written_at_;
  io::GzipWriter gzip_;
  io::TarWriter tar_;
  KeyedHash hash_;
  NameSet names_;
  std::int64_t items_ = 0;
  bool begun_ = false;
};

}  // namespace landfall::archive
