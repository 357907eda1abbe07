#pragma once

#include <string>

#include "base/result.h"

namespace landfall::io {

// A directory of its own, readable by this user only, that is removed with everything in it at the end of its life.
class TempDir {
 public:
  // Below `parent`, which must exist.
  static Result<TempDir> create(const std::string& parent);
  TempDir(TempDir&& other) noexcept;
  TempDir& operator=(TempDir&& other) = delete;
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir();

  const std::string& path() const { return path_; }
  // The path of an entry of it.
  std::string path(const std::string& name) const { return path_ + "/" + name; }

 private:
  explicit TempDir(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace landfall::io
