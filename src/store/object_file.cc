#include "store/object_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/quote.h"
#include "base/random.h"
#include "store/folder.h"

namespace landfall::store {
namespace {

constexpr mode_t kObjectMode = 0600;  // backups hold secrets

tl::unexpected<Error> errno_failure(std::string_view what) { return tl::unexpected(io::errno_error(what, errno)); }

// One that io::is_temporary_name() knows.
std::string temporary_name() { return fmt::format(".landfall-tmp-{:016x}", system_random().bits()); }

bool is_folder(int folder, const std::string& name) {
  struct stat info{};
  return ::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(info.st_mode);
}

}  // namespace

ObjectFile::ObjectFile(io::Descriptor folder, std::string temporary, io::Descriptor file)
    : folder_(std::move(folder)), temporary_(std::move(temporary)), file_(std::move(file)) {}

ObjectFile::~ObjectFile() {
  if (file_) ::unlinkat(folder_.get(), temporary_.c_str(), 0);
}

Result<ObjectFile> ObjectFile::create(io::Descriptor folder) {
  while (true) {
    std::string name = temporary_name();
    io::Descriptor file(open_at(folder.get(), name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, kObjectMode));
    if (file) {
      // Where a file system has no locks a sweep goes by the age alone.
      ::flock(file.get(), LOCK_EX | LOCK_NB);
      return ObjectFile(std::move(folder), std::move(name), std::move(file));
    }
    if (errno != EEXIST) return errno_failure("create a temporary file");
  }
}

Status ObjectFile::write(std::string_view bytes) { return io::write_descriptor(file_.get(), bytes); }

Status ObjectFile::publish(const std::string& name, bool if_absent) {
  if (sync_descriptor(file_.get()) != 0) return errno_failure("sync");
  TRY("", take_name(name, if_absent));
  file_.reset();  // fsync has told all errors; what close could add is too late
  if (sync_descriptor(folder_.get()) != 0) {
    return errno_failure("written, but may not survive a power cut: sync the folder");
  }
  return {};
}

Status ObjectFile::take_name(const std::string& name, bool if_absent) {
  const int folder = folder_.get();
  // link() refuses a taken name on every file system; renameat2 with RENAME_NOREPLACE does not work on NFS.
  const int taken = if_absent ? ::linkat(folder, temporary_.c_str(), folder, name.c_str(), 0)
                              : ::renameat(folder, temporary_.c_str(), folder, name.c_str());
  if (taken != 0) {
    const int number = errno;
    if (is_folder(folder, name)) {
      return fail(Code::kInvalid, quote(name) + " is in the way: it is a folder");
    }
    return tl::unexpected(io::errno_error(if_absent ? "create" : "rename", number));
  }
  if (if_absent) ::unlinkat(folder, temporary_.c_str(), 0);
  return {};
}

Result<bool> remove_dead_temporary(int folder, const std::string& name, std::int64_t written_before) {
  const io::Descriptor file(open_at(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK));
  if (!file) {
    if (errno == ENOENT) return false;
    return errno_failure(quote(name));
  }
  struct stat info{};
  if (::fstat(file.get(), &info) != 0) return errno_failure(quote(name));
  if (!S_ISREG(info.st_mode) || info.st_mtim.tv_sec >= written_before) return false;
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
  if (::unlinkat(folder, name.c_str(), 0) != 0 && errno != ENOENT) return errno_failure(quote(name));
  return true;
}

}  // namespace landfall::store
