#include "agent/done_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

#include "base/quote.h"
#include "io/descriptor.h"

namespace landfall::agent {
namespace {

constexpr const char* kFolder = ".velero";
constexpr mode_t kForAll = 0777;  // the init container need not be root, and takes it away
constexpr mode_t kReadable = 0644;

tl::unexpected<Error> errno_failure(const std::string& what) {
  return tl::unexpected<Error>(io::errno_error(what, errno));
}

}  // namespace

Status check_restore_uid(const std::string& restore_uid) {
  const bool is_name =
      !restore_uid.empty() && !restore_uid.starts_with('.') && restore_uid.find('/') == std::string::npos;
  if (is_name) return {};
  return fail(Code::kInvalid, quote(restore_uid) + " is no UID of a Restore: the label velero.io/restore-uid says it");
}

Status write_done_file(const std::string& volume, const std::string& restore_uid) {
  TRY("", check_restore_uid(restore_uid));
  const std::string path = (std::filesystem::path(volume) / kFolder).string();
  std::error_code error;
  // A link goes, what it leads to stays.
  std::filesystem::remove_all(path, error);
  if (error) return fail(Code::kInternal, path + ": " + error.message());
  const io::Descriptor root(::open(volume.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root) return errno_failure(volume);
  if (::mkdirat(root.get(), kFolder, kForAll) != 0) return errno_failure(path);
  const io::Descriptor folder(::openat(root.get(), kFolder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder) return errno_failure(path);
  if (::fchmod(folder.get(), kForAll) != 0) return errno_failure(path);
  const io::Descriptor file(
      ::openat(folder.get(), restore_uid.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kReadable));
  if (!file) return errno_failure(path + "/" + restore_uid);
  if (::fchmod(file.get(), kReadable) != 0) return errno_failure(path + "/" + restore_uid);
  return {};
}

}  // namespace landfall::agent
