#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "archive/archive_limits.h"
#include "archive/item_path.h"
#include "io/gzip_reader.h"
#include "io/stream.h"
#include "io/tar_reader.h"

namespace landfall::archive {

// What reading an archive tells apart from its items.
struct ArchiveFacts {
  std::string format_version;        // "1.1.0"; empty in archives that do not say
  std::int64_t strange_count = 0;    // entries that are neither items nor known files
  std::vector<std::string> strange;  // the paths of the first few
};

struct ArchiveEntry {
  std::string name;              // relative, without "." parts
  std::optional<ItemPath> item;  // nothing for other files
  std::uint64_t size = 0;
  std::uint32_t mode = 0;
  std::chrono::sys_seconds mtime;
};

// How far reading is.
struct ReadProgress {
  std::string_view path;  // of the entry just read
  std::int64_t entries = 0;
  std::uint64_t compressed_bytes = 0;  // of the archive, so far
};
// Called for every entry but directories, in the thread that reads. May be empty.
using OnEntry = std::function<void(const ReadProgress&)>;

// Reads the entries of a tar.gz one by one as it streams by. Whoever reads archives reads them through this, so that
// all agree on what an archive is.
//
// kDataLoss with the place where it is damaged: cut, bits flipped, empty, something behind its end. kTooLarge past a
// limit. kInvalid, naming the entry, for what a backup never holds and other readers may be misled by: absolute names
// and names with `..`, a backslash, a NUL or bytes that are not UTF-8; links, devices, fifos and unknown types; two
// different format versions. kCancelled when stopped.
// Directories are passed over. Files that are not part of the layout are counted as strange and no error.
class ArchiveReader {
 public:
  // The source must outlive it.
  ArchiveReader(io::Reader& archive, const ArchiveLimits& limits, std::stop_token stop);

  // The next file, or nullptr at the end, after which the archive is known to be whole. Valid until the next call.
  // After an error every call returns it again.
  Result<const ArchiveEntry*> next();
  // The bytes of the entry that next() returned last, valid until its next call. Memory grows with what is there, not
  // with the size that the entry claims.
  Result<std::string_view> content();

  const ArchiveFacts& facts() const { return facts_; }
  ReadProgress progress() const { return {entry_.name, entries_, gzip_.consumed()}; }

 private:
  Result<const ArchiveEntry*> read_next();
  Result<bool> accept(const io::TarEntry& raw);
  Status read_format_version();
  void note_strange();

  const std::stop_token stop_;
  io::GzipReader gzip_;
  io::TarReader tar_;
  ArchiveEntry entry_;
  std::int64_t entries_ = 0;  // handed out
  ArchiveFacts facts_;
  std::string buffer_;
  std::optional<std::size_t> content_size_;  // of buffer_, once the content was read
  std::optional<Error> broken_;
};

}  // namespace landfall::archive
