#pragma once

#include <string>

#include "base/result.h"
#include "io/descriptor.h"
#include "io/temp_dir.h"

namespace landfall::kopia {

// The private directory of one connection. Kopia writes the keys of the bucket into it, so that it must not outlive the
// connection: as long as it is in use it is locked, and one that is not was left by a process that was killed.
class ConnectionDirectory {
 public:
  // Below `parent`, which must exist.
  static Result<ConnectionDirectory> create(const std::string& parent);

  const std::string& path() const { return directory_.path(); }
  // The path of an entry of it.
  std::string path(const std::string& name) const { return directory_.path(name); }

 private:
  ConnectionDirectory(io::TempDir directory, io::Descriptor lock)
      : lock_(std::move(lock)), directory_(std::move(directory)) {}

  io::Descriptor lock_;
  io::TempDir directory_;  // last: it is locked until it is gone
};

// Removes those of this user that were left. What cannot be looked at or removed is passed over.
void remove_left_directories(const std::string& parent);

}  // namespace landfall::kopia
