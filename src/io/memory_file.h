#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "io/descriptor.h"

namespace landfall::io {

// A file that is in memory only and has a path for this process alone: for libraries and drivers that read secrets from
// files. Nothing of it ever reaches a disk, and it is gone with the process however that ends.
class MemoryFile {
 public:
  static Result<MemoryFile> create(std::string_view content);
  // "/proc/self/fd/7": valid in this process while the file lives.
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_.get()); }

 private:
  explicit MemoryFile(Descriptor file) : file_(std::move(file)) {}
  Descriptor file_;
};

}  // namespace landfall::io
