#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "io/descriptor.h"
#include "io/temp_dir.h"

namespace landfall::sandbox {

// The folder of a sandbox: `volumes`, `pods` and the snapshot. Readable by the user alone, and of one sandbox at a
// time.
class DataFolder {
 public:
  // Made if it is missing. kConflict when another sandbox uses it.
  static Result<DataFolder> open(const std::string& path);
  // One that is removed at the end of its life.
  static Result<DataFolder> temporary(const std::string& parent);

  const std::filesystem::path& path() const { return path_; }
  bool is_kept() const { return !temporary_; }
  std::filesystem::path snapshot() const;

 private:
  DataFolder() = default;

  std::filesystem::path path_;
  io::Descriptor lock_;
  std::optional<io::TempDir> temporary_;
};

}  // namespace landfall::sandbox
