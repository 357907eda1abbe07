#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/spool_file.h"

namespace landfall::backup {

// The bytes of the collected objects, in a temporary file without a name. Writing is serialised here; reading is
// thread-safe.
class ObjectSpool {
 public:
  explicit ObjectSpool(io::SpoolFile file) : file_(std::move(file)) {}

  // Where the bytes begin.
  Result<std::uint64_t> append(std::string_view bytes);
  Status read(std::uint64_t offset, std::uint32_t length, std::string& into) const;
  std::uint64_t size() const { return file_.size(); }

 private:
  std::mutex writing_;
  io::SpoolFile file_;
};

}  // namespace landfall::backup
