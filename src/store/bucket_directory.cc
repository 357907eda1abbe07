#include "store/bucket_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/strings.h"
#include "extension/object_store.h"
#include "store/folder.h"

namespace landfall::store {
namespace {

constexpr std::array<std::string_view, 5> kSettings{"path", "bucket", "prefix", "caCert", "credentialsFile"};
constexpr mode_t kBucketMode = 0700;

tl::unexpected<Error> errno_failure(const std::string& what) { return tl::unexpected(io::errno_error(what, errno)); }

std::string setting(const std::map<std::string, std::string>& config, const std::string& name) {
  const auto found = config.find(name);
  return found == config.end() ? "" : found->second;
}

}  // namespace

Result<BucketDirectory> BucketDirectory::of(const std::map<std::string, std::string>& config) {
  for (const auto& [name, value] : config) {
    if (std::ranges::find(kSettings, name) == kSettings.end()) {
      return fail(Code::kInvalid, fmt::format("filesystem store: unknown setting {}; there are {}", quote(name),
                                              join(kSettings, ", ")));
    }
  }
  TRY_ASSIGN(BucketDirectory directory, "filesystem store", at(setting(config, "path"), setting(config, "bucket")));
  return directory;
}

Result<BucketDirectory> BucketDirectory::at(const std::string& path, const std::string& bucket) {
  if (!path.starts_with('/') || contains(path, std::string_view("\0", 1))) {
    return fail(Code::kInvalid, fmt::format("path {} must be an absolute path", quote(path)));
  }
  if (!extension::check_key(bucket) || contains(bucket, "/")) {
    return fail(Code::kInvalid, fmt::format("bucket {} must be the name of one directory", quote(bucket)));
  }
  return BucketDirectory(path, path + (path.ends_with('/') ? "" : "/") + bucket);
}

Result<io::Descriptor> BucketDirectory::open() const {
  io::Descriptor directory(open_at(AT_FDCWD, path_, O_RDONLY | O_DIRECTORY));
  if (directory) return directory;
  if (errno == ENOENT) {
    return fail(Code::kNotFound,
                fmt::format("no such bucket: create the directory {}, or mount the volume that has it", path_));
  }
  if (errno == ENOTDIR) return fail(Code::kInvalid, fmt::format("bucket {} is not a directory", path_));
  return errno_failure("open the bucket " + path_);
}

Status BucketDirectory::create() const {
  const io::Descriptor parent(open_at(AT_FDCWD, parent_, O_RDONLY | O_DIRECTORY));
  if (!parent) return errno_failure("create the bucket " + path_ + ": open " + parent_);
  if (::mkdir(path_.c_str(), kBucketMode) != 0 && errno != EEXIST) return errno_failure("create the bucket " + path_);
  if (sync_descriptor(parent.get()) != 0) return errno_failure("create the bucket " + path_ + ": sync");
  TRY("", open());
  return {};
}

std::string BucketDirectory::naming(std::string_view key) const {
  return fmt::format("directory {}: object {}", path_, quote(key));
}

std::string BucketDirectory::naming_folder(std::string_view folder) const {
  return fmt::format("directory {}: folder {}", path_, quote(folder));
}

}  // namespace landfall::store
