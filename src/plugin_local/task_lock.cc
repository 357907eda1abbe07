#include "plugin_local/task_lock.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace landfall::plugin_local {
namespace {

struct flock whole_file() {
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

Result<io::Descriptor> open_lock(const std::string& folder) {
  const std::string path = folder + "/lock";
  // NOLINTNEXTLINE(*-vararg): it is how it is
  io::Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return tl::unexpected(io::errno_error("open " + path, errno));
  return file;
}

}  // namespace

// Locks of open files, not of processes: threads of one process keep each other out too.
Result<std::optional<TaskLock>> TaskLock::take(const std::string& folder) {
  TRY_ASSIGN(io::Descriptor file, "", open_lock(folder));
  struct flock lock = whole_file();
  if (::fcntl(file.get(), F_OFD_SETLK, &lock) == 0) {  // NOLINT(*-vararg)
    // For people who look who it is; nothing depends on it.
    static_cast<void>(::ftruncate(file.get(), 0) == 0 &&
                      io::write_descriptor(file.get(), std::to_string(::getpid()) + "\n"));
    return TaskLock(std::move(file));
  }
  if (errno == EAGAIN || errno == EACCES) return std::optional<TaskLock>();
  return tl::unexpected(io::errno_error("lock " + folder, errno));
}

Result<bool> TaskLock::is_held(const std::string& folder) {
  TRY_ASSIGN(const io::Descriptor file, "", open_lock(folder));
  struct flock lock = whole_file();
  if (::fcntl(file.get(), F_OFD_GETLK, &lock) != 0) {  // NOLINT(*-vararg)
    return tl::unexpected(io::errno_error("look at the lock of " + folder, errno));
  }
  return lock.l_type != F_UNLCK;
}

}  // namespace landfall::plugin_local
