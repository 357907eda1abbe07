#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "archive/spooled_archive.h"
#include "base/clock.h"
#include "io/gzip_reader.h"
#include "io/gzip_writer.h"
#include "io/tar_header.h"

// Archives of any shape, good and bad, for the tests of this module.
namespace landfall::archive {

inline constexpr WallTime kTestTime{std::chrono::seconds(1'767'225'600)};

struct TestEntry {
  std::string name;
  std::string content;
  char type = io::kTarFile;
  std::string link;
};

// A tar as it is told, without any of a writer's checks. Names have 100 bytes at most.
inline std::string tar_of(const std::vector<TestEntry>& entries) {
  std::string tar;
  for (const TestEntry& entry : entries) {
    io::TarHeader header;
    header.name = entry.name;
    header.link = entry.link;
    header.type = entry.type;
    header.mode = 0755;
    header.size = static_cast<std::int64_t>(entry.content.size());
    header.mtime = 1'767'225'600;
    const io::TarBlock block = io::encode_tar_header(header);
    tar.append(block.data(), block.size()).append(entry.content);
    tar.resize((tar.size() + io::kTarBlockSize - 1) / io::kTarBlockSize * io::kTarBlockSize);
  }
  return tar.append(2 * io::kTarBlockSize, '\0');
}

inline std::string gzip_of(std::string_view bytes) {
  io::StringWriter sink;
  io::GzipWriter writer(sink, {.level = 1});
  static_cast<void>(writer.write(bytes));
  static_cast<void>(writer.close());
  return sink.take();
}

inline std::string gunzip(std::string_view bytes) {
  io::StringReader source(bytes);
  io::GzipReader reader(source);
  return io::read_all(reader, 1UL << 30U).value();
}

inline std::string archive_of(const std::vector<TestEntry>& entries) { return gzip_of(tar_of(entries)); }

inline Result<SpooledArchive> read_archive(std::string_view bytes, const ArchiveLimits& limits = {}) {
  io::StringReader reader(bytes);
  return SpooledArchive::read(reader, {.directory = "/tmp", .limits = limits}, {}, {});
}

}  // namespace landfall::archive
