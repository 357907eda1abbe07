#include "store/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "base/freed_by.h"
#include "base/strings.h"
#include "extension/object_store.h"
#include "io/file.h"

namespace landfall::store {
namespace {

using DirectoryStream = std::unique_ptr<DIR, FreedBy<::closedir>>;

constexpr mode_t kFolderMode = 0700;  // backups hold secrets
constexpr int kOpenFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;

tl::unexpected<Error> errno_failure(std::string_view what) { return tl::unexpected(io::errno_error(what, errno)); }

Result<io::Descriptor> step_into(int parent, const std::string& name, IfMissing if_missing) {
  io::Descriptor folder(open_at(parent, name, kOpenFolder));
  if (!folder && errno == ENOENT && if_missing == IfMissing::kCreate) {
    if (::mkdirat(parent, name.c_str(), kFolderMode) != 0 && errno != EEXIST) {
      return errno_failure("create folder " + quote(name));
    }
    folder = io::Descriptor(open_at(parent, name, kOpenFolder));
  }
  if (folder) return folder;
  if (errno == ENOTDIR || errno == ELOOP) {
    return fail(Code::kInvalid, quote(name) + " is in the way: it is no folder, and links are not followed");
  }
  return errno_failure("folder " + quote(name));
}

// The name alone; whether the whole key is short enough is known further up.
bool is_key_part(std::string_view name) { return extension::check_key(name).has_value(); }

Status add_entry(int folder, std::string name, FolderContent& content) {
  struct stat info{};
  if (::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return {};  // gone since the directory was read
    return errno_failure(quote(name));
  }
  const bool is_folder = S_ISDIR(info.st_mode);
  if (!is_folder && !S_ISREG(info.st_mode)) return {};
  if (!is_folder && io::is_temporary_name(name)) {
    content.temporaries.push_back(std::move(name));
  } else if (!is_key_part(name)) {
    ++content.skipped;
    content.skipped_name = std::move(name);
  } else if (is_folder) {
    content.entries.push_back({.name = std::move(name) + "/"});
  } else {
    content.entries.push_back({.name = std::move(name), .size = static_cast<std::uint64_t>(info.st_size)});
  }
  return {};
}

Result<DirectoryStream> open_stream(int folder) {
  // The stream wants a descriptor of its own, at the start of the directory wherever the other stands.
  const int fd = open_at(folder, ".", O_RDONLY | O_DIRECTORY);
  if (fd < 0) return errno_failure("open");
  DirectoryStream stream(::fdopendir(fd));
  if (!stream) {
    const io::Descriptor closed(fd);
    return errno_failure("read");
  }
  return stream;
}

// The next name; nothing at the end.
Result<std::optional<std::string>> next_name(DIR* stream) {
  errno = 0;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): unsafe only for a stream that threads share.
  const dirent* entry = ::readdir(stream);
  if (entry != nullptr) return std::string(static_cast<const char*>(entry->d_name));
  if (errno != 0) return errno_failure("read");
  return std::nullopt;
}

}  // namespace

int sync_descriptor(int fd) {
  int result = 0;
  do {
    result = ::fsync(fd);
  } while (result != 0 && errno == EINTR);
  return result;
}

int open_at(int folder, const std::string& name, int flags, mode_t mode) {
  int fd = -1;
  do {
    fd = ::openat(folder, name.c_str(), flags | O_CLOEXEC, mode);
  } while (fd < 0 && errno == EINTR);
  return fd;
}

Result<io::Descriptor> open_folder(int bucket, std::string_view folder, IfMissing if_missing) {
  io::Descriptor current(open_at(bucket, ".", kOpenFolder));
  if (!current) return errno_failure("open");
  if (folder.empty()) return current;
  for (const std::string_view part : split(folder, '/')) {
    TRY_ASSIGN(current, "", step_into(current.get(), std::string(part), if_missing));
  }
  return current;
}

Status sync_path(int bucket, std::string_view folder) {
  if (folder.empty()) return {};
  io::Descriptor current(open_at(bucket, ".", kOpenFolder));
  if (!current) return errno_failure("open");
  for (const std::string_view part : split(folder, '/')) {
    if (sync_descriptor(current.get()) != 0) return errno_failure("sync the folder that has " + quote(part));
    TRY_ASSIGN(current, "", step_into(current.get(), std::string(part), IfMissing::kFail));
  }
  return {};
}

void remove_empty_folders(int bucket, std::string_view folder) {
  while (!folder.empty()) {
    const std::size_t slash = folder.rfind('/');
    const bool at_top = slash == std::string_view::npos;
    const std::string name(at_top ? folder : folder.substr(slash + 1));
    folder = at_top ? std::string_view() : folder.substr(0, slash);
    const auto parent = open_folder(bucket, folder, IfMissing::kFail);
    const bool removed = parent && ::unlinkat(parent->get(), name.c_str(), AT_REMOVEDIR) == 0;
    // One that is gone already leaves those above it to be looked at, whoever removed it.
    const bool missing = parent ? errno == ENOENT : parent.error().code() == Code::kNotFound;
    if (!removed && !missing) return;
  }
}

Result<std::optional<std::uint64_t>> object_size(int folder, const std::string& name) {
  struct stat info{};
  if (::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return std::nullopt;
    return errno_failure(quote(name));
  }
  if (!S_ISREG(info.st_mode)) return std::nullopt;
  return static_cast<std::uint64_t>(info.st_size);
}

Result<FolderContent> read_folder(int folder, std::string_view prefix, const std::stop_token& stop) {
  TRY_ASSIGN(const DirectoryStream stream, "", open_stream(folder));
  FolderContent content;
  while (true) {
    if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
    TRY_ASSIGN(std::optional<std::string> name, "", next_name(stream.get()));
    if (!name) break;
    if (*name == "." || *name == ".." || !name->starts_with(prefix)) continue;
    TRY("", add_entry(folder, *std::move(name), content));
  }
  std::ranges::sort(content.entries, {}, &FolderEntry::name);
  return content;
}

}  // namespace landfall::store
