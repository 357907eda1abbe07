#include "kopia/connection_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "uploader_program/special_files.h"

namespace landfall::kopia {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLock = "in-use";
constexpr const char* kPrefix = "landfall-";  // of all temporary directories of ours

bool is_left(int parent, const std::string& name) {
  const auto directory = uploader_program::open_directory(parent, name);
  struct stat info{};
  if (!directory || !*directory || ::fstat(directory->get(), &info) != 0 || info.st_uid != ::geteuid()) return false;
  const io::Descriptor lock(::openat(directory->get(), kLock, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  return lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0;
}

}  // namespace

Result<ConnectionDirectory> ConnectionDirectory::create(const std::string& parent) {
  constexpr mode_t kPrivate = 0600;
  TRY_ASSIGN(io::TempDir directory, "", io::TempDir::create(parent));
  const std::string path = directory.path(kLock);
  io::Descriptor lock(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kPrivate));
  // Not waited for: only somebody who takes it for left has it.
  if (!lock || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
    return tl::unexpected(io::errno_error("lock " + path, errno));
  return ConnectionDirectory(std::move(directory), std::move(lock));
}

void remove_left_directories(const std::string& parent) {
  const io::Descriptor opened(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened) return;
  std::error_code error;
  fs::directory_iterator entry(parent, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename();
    if (!name.starts_with(kPrefix) || !is_left(opened.get(), name)) continue;
    std::error_code ignored;
    fs::remove_all(entry->path(), ignored);
  }
}

}  // namespace landfall::kopia
