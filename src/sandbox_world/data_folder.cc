#include "sandbox_world/data_folder.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "sandbox_world/snapshot.h"

namespace landfall::sandbox {

namespace fs = std::filesystem;

Result<DataFolder> DataFolder::open(const std::string& path) {
  DataFolder folder;
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error).lexically_normal();
  const bool is_new = !fs::exists(absolute, error);
  fs::create_directories(absolute, error);
  if (error) return fail(Code::kInvalid, "make directory " + path + ": " + error.message());
  if (is_new) fs::permissions(absolute, fs::perms::owner_all, error);
  folder.path_ = absolute.has_filename() ? absolute : absolute.parent_path();
  const std::string lock = (folder.path_ / "lock").string();
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg): POSIX
  folder.lock_ = io::Descriptor(::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!folder.lock_) return fail("", io::errno_error("open " + lock, errno));
  if (flock(folder.lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return fail("", io::errno_error("lock " + lock, errno));
    return fail(Code::kConflict, path + " is in use by another sandbox: stop that one or choose another directory");
  }
  return folder;
}

Result<DataFolder> DataFolder::temporary(const std::string& parent) {
  DataFolder folder;
  TRY_ASSIGN(io::TempDir made, "make a temporary directory", io::TempDir::create(parent));
  folder.temporary_.emplace(std::move(made));
  folder.path_ = folder.temporary_->path();
  return folder;
}

fs::path DataFolder::snapshot() const { return path_ / kSnapshotName; }

}  // namespace landfall::sandbox
