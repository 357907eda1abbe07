#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "io/descriptor.h"
#include "io/spool_file.h"

namespace landfall::restic {

// Measures how much of the files of a snapshot is in a directory, where nothing tells how much restic has written.
//
// Neither size nor blocks of a file tell: restic allocates all of it before it writes. What counts is where the file
// has data. Files that have not changed since the beginning are not restic's work yet, even when they are whole.
// Looking costs little: a few files at a time, round and round. Of a million files the paths are in a temporary file,
// in memory there are eight bytes for each. One thread.
class RestoredFiles {
 public:
  // `scratch` is a directory of ours that was made just before the restore began.
  static Result<RestoredFiles> create(const std::string& directory, const std::string& scratch);

  // All files, before the first look. The path starts at the root of the snapshot.
  Status add(std::string_view path, ByteCount size);
  // Looks at the next so many of them. Returns what is there of all, as far as it was seen.
  Result<ByteCount> look(std::size_t files);

 private:
  struct Record {
    std::string path;
    std::int64_t size = 0;
  };
  RestoredFiles(io::Descriptor directory, io::SpoolFile paths, std::int64_t began)
      : directory_(std::move(directory)), paths_(std::move(paths)), began_(began) {}
  Status flush();
  Result<Record> next_record();
  // Bytes of the file that are there.
  std::int64_t measure(const Record& record) const;

  io::Descriptor directory_;
  io::SpoolFile paths_;
  std::int64_t began_;  // nanoseconds, by the clock of the file system
  std::string unwritten_;
  std::vector<std::int64_t> seen_;
  ByteCount sum_;
  std::size_t at_ = 0;        // the file that is next
  std::uint64_t offset_ = 0;  // where its record is
};

}  // namespace landfall::restic
