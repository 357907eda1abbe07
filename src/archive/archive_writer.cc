#include "archive/archive_writer.h"

#include "archive/archive_limits.h"
#include "archive/item_path.h"
#include "io/tar_name.h"

namespace landfall::archive {

ArchiveWriter::ArchiveWriter(io::Writer& sink, WallTime written_at, io::GzipOptions gzip)
    : written_at_(written_at), gzip_(sink, gzip), tar_(gzip_) {}

Status ArchiveWriter::begin() {
  if (begun_) {
    return {};
  }
  begun_ = true;
  return tar_.add({.name = kVersionFile, .mtime = written_at_}, std::string(kFormatVersion) + "\n");
}

Status ArchiveWriter::add(const ItemKey& key, std::string_view json) {
  TRY_ASSIGN(const std::vector<std::string> paths, "", item_paths(key));
  if (const std::uint64_t most = ArchiveLimits().item_size; json.size() > most) {
    return fail(Code::kTooLarge, "archive path " + io::quote_name(paths.front()) + ": " + std::to_string(json.size()) +
                                     " bytes, more than the limit of " + std::to_string(most));
  }
  // The first path stands for all: two items with the same copy have the same plain form as well.
  if (!names_.insert(hash_(paths.front()))) {
    return fail(Code::kAlreadyExists, "archive path " + io::quote_name(paths.front()) + " is there already");
  }
  TRY("write archive", begin());
  for (const std::string& path : paths) {
    TRY("write archive", tar_.add({.name = path, .mtime = written_at_}, json));
  }
  ++items_;
  return {};
}

Status ArchiveWriter::close() {
  TRY("write archive", begin());
  TRY("write archive", tar_.close());
  TRY("write archive", gzip_.close());
  return {};
}

}  // namespace landfall::archive
