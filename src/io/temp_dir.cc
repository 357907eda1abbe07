#include "io/temp_dir.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "io/descriptor.h"

namespace landfall::io {

Result<TempDir> TempDir::create(const std::string& parent) {
  std::string path = parent + "/landfall-XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) {
    return tl::unexpected(errno_error("create a temporary directory in " + parent, errno));
  }
  return TempDir(std::move(path));
}

TempDir::TempDir(TempDir&& other) noexcept : path_(std::exchange(other.path_, {})) {}

TempDir::~TempDir() {
  if (!path_.empty()) {
    std::error_code ignored;  // nobody to tell, and nothing else to try
    std::filesystem::remove_all(path_, ignored);
  }
}

}  // namespace landfall::io
