#include "kube/credential_file.h"

#include <sys/stat.h>

#include <cerrno>

#include "base/strings.h"
#include "io/descriptor.h"
#include "io/file.h"

namespace landfall::kube {
namespace {

constexpr std::size_t kMaxFile = std::size_t{16} << 20U;
constexpr Duration kReadAnyway = std::chrono::minutes(1);

Duration since_epoch(const timespec& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

CredentialFile::CredentialFile(DataOrFile source, std::string field)
    : source_(std::move(source)), name_(std::move(field)), bytes_(source_.data) {
  name_ += is_file() ? " " + source_.file : "-data";
}

Result<CredentialFile::Look> CredentialFile::look() const {
  struct stat info{};
  if (::stat(source_.file.c_str(), &info) != 0) {
    return tl::unexpected(io::errno_error(name_, errno));
  }
  return Look{.device = info.st_dev,
              .inode = info.st_ino,
              .size = info.st_size,
              .modified = since_epoch(info.st_mtim),
              .changed = since_epoch(info.st_ctim)};
}

Status CredentialFile::refresh(SteadyTime now, bool anyway) {
  if (!is_file()) {
    return {};
  }
  Result<Look> now_looks = look();
  if (now_looks && *now_looks == seen_ && !anyway && now < read_again_) {
    return {};
  }
  seen_ = {};
  TRY("", now_looks);
  TRY_ASSIGN(std::string text, name_, io::read_file(source_.file, kMaxFile));
  if (trim(text).empty()) {
    return fail(Code::kInvalid, name_ + ": the file is empty");
  }
  bytes_ = std::move(text);
  seen_ = *now_looks;
  read_again_ = now + kReadAnyway;
  return {};
}

}  // namespace landfall::kube
