#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace landfall::testkit {

// A directory of a test's own, removed with all its contents at the end of the scope.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::filesystem::path& path() const { return path_; }

  // Writes a file, with its folders, and returns its path.
  std::filesystem::path write(const std::filesystem::path& name, std::string_view bytes) const;
  // The bytes of a file; throws when there is none.
  std::string read(const std::filesystem::path& name) const;

 private:
  std::filesystem::path path_;
};

}  // namespace landfall::testkit
