#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

#include "archive/archive_index.h"
#include "archive/archive_limits.h"
#include "archive/archive_reader.h"
#include "io/spool_file.h"
#include "io/stream.h"

namespace landfall::archive {

struct SpoolOptions {
  std::string directory;  // where the temporary file goes
  ArchiveLimits limits;
};

// An archive that was read once, to its end and found whole, with the contents of its items in a temporary file without
// a name. Nothing is ever written to a path taken from the archive. Thread-safe once it is there.
class SpooledArchive {
 public:
  // Reads a tar.gz. What is an error, and what is only strange, is told at ArchiveReader. On top of that a path that
  // comes twice must hold the same bytes: other readers disagree which of two counts, so differing ones are kInvalid
  // and named. A copy in a version directory that equals the plain form is not kept twice; one that differs is kept. An
  // archive without resources gives an empty index.
  static Result<SpooledArchive> read(io::Reader& archive, const SpoolOptions& options, const std::stop_token& stop,
                                     const OnEntry& on_entry);

  const ArchiveIndex& index() const { return *index_; }
  const ArchiveFacts& facts() const { return facts_; }

  // The plain form of an item of this archive; kNotFound when it stands only in version directories.
  Result<std::string> content(const IndexedItem& item) const;
  // Any form: the extents are those of this archive's index.
  Result<std::string> content(const Extent& extent) const;

  // How much of the disk it takes.
  std::uint64_t spooled_bytes() const { return spool_.size(); }

 private:
  SpooledArchive(io::SpoolFile spool, std::unique_ptr<const ArchiveIndex> index, ArchiveFacts facts)
      : spool_(std::move(spool)), index_(std::move(index)), facts_(std::move(facts)) {}

  io::SpoolFile spool_;
  std::unique_ptr<const ArchiveIndex> index_;  // handles point into it, also after a move
  ArchiveFacts facts_;
};

}  // namespace landfall::archive
