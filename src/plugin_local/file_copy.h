#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"

namespace landfall::plugin_local {

// Hears of bytes that have been gone through; an error (a stop) ends the copy with it.
using OnBytes = std::function<Status(std::uint64_t bytes)>;

struct CopiedFile {
  std::uint64_t size = 0;
  std::string sha256;          // of the bytes that are in the copy
  bool shares_blocks = false;  // a reflink: it took no time and no space
};

// Copies the bytes of an open file into an empty one, both named in errors by their paths: by reference where the file
// system can, else with the holes that it has. A file that grows meanwhile is copied up to where it ended.
Result<CopiedFile> copy_file(int from, const std::string& from_path, int to, const std::string& to_path,
                             const OnBytes& on_bytes);

// The digest of what an open file holds.
Result<CopiedFile> digest_file(int file, const std::string& path, const OnBytes& on_bytes);

}  // namespace landfall::plugin_local
