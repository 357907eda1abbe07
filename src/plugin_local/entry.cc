#include "plugin_local/entry.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>
#include <vector>

namespace landfall::plugin_local {
namespace {

std::int64_t nanoseconds(const timespec& time) { return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; }

EntryType type_of(mode_t mode) {
  if (S_ISDIR(mode)) return EntryType::kDirectory;
  if (S_ISLNK(mode)) return EntryType::kLink;
  if (S_ISFIFO(mode)) return EntryType::kFifo;
  if (S_ISCHR(mode)) return EntryType::kCharacterDevice;
  if (S_ISBLK(mode)) return EntryType::kBlockDevice;
  if (S_ISSOCK(mode)) return EntryType::kSocket;
  return EntryType::kFile;
}

Result<std::string> read_link(const Tree::Place& place, const std::string& shown) {
  constexpr std::size_t kLongest = 4096;
  std::string target(kLongest, '\0');
  const ssize_t size = ::readlinkat(place.directory, place.name.c_str(), target.data(), target.size());
  if (size < 0) return tl::unexpected(io::errno_error("read link " + shown, errno));
  target.resize(static_cast<std::size_t>(size));
  return target;
}

// The labels of SELinux belong to the place, not to the file.
bool is_kept(std::string_view name) { return name != "security.selinux"; }

// Where there are none, or the file system has no such thing, there is nothing to keep.
Result<std::map<std::string, std::string>> read_attributes(const Tree::Place& place, const std::string& shown) {
  const std::string path = "/proc/self/fd/" + std::to_string(place.directory) + "/" + place.name;
  std::map<std::string, std::string> all;
  const ssize_t length = ::llistxattr(path.c_str(), nullptr, 0);
  if (length < 0 && errno != ENOTSUP && errno != ENOENT) {
    return tl::unexpected(io::errno_error("read attributes of " + shown, errno));
  }
  if (length <= 0) return all;
  std::string names(static_cast<std::size_t>(length), '\0');
  const ssize_t got = ::llistxattr(path.c_str(), names.data(), names.size());
  if (got < 0) return tl::unexpected(io::errno_error("read attributes of " + shown, errno));
  names.resize(static_cast<std::size_t>(got));
  std::size_t start = 0;
  while (start < names.size()) {
    const std::string name(names.c_str() + start);
    start += name.size() + 1;
    if (name.empty() || !is_kept(name)) continue;
    std::string value(std::size_t{64} << 10U, '\0');
    const ssize_t size = ::lgetxattr(path.c_str(), name.c_str(), value.data(), value.size());
    if (size < 0 && errno == ENODATA) continue;
    if (size < 0) return tl::unexpected(io::errno_error("read attribute " + name + " of " + shown, errno));
    value.resize(static_cast<std::size_t>(size));
    all[name] = std::move(value);
  }
  return all;
}

}  // namespace

Result<Entry> read_entry_briefly(Tree& tree, const std::string& path) {
  TRY_ASSIGN(const Tree::Place place, "", tree.place(path));
  struct stat info{};
  if (::fstatat(place.directory, place.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    return tl::unexpected(io::errno_error("look at " + join_path(tree.path(), path), errno));
  }
  Entry entry;
  entry.path = path;
  entry.type = type_of(info.st_mode);
  entry.size = entry.type == EntryType::kFile ? static_cast<std::uint64_t>(info.st_size) : 0;
  entry.mode = info.st_mode & 07777U;
  entry.uid = info.st_uid;
  entry.gid = info.st_gid;
  entry.modified = nanoseconds(info.st_mtim);
  entry.changed = nanoseconds(info.st_ctim);
  entry.inode = info.st_ino;
  entry.file_system = info.st_dev;
  entry.names = info.st_nlink;
  if (entry.type == EntryType::kCharacterDevice || entry.type == EntryType::kBlockDevice) entry.device = info.st_rdev;
  return entry;
}

Result<Entry> read_entry(Tree& tree, const std::string& path) {
  TRY_ASSIGN(Entry entry, "", read_entry_briefly(tree, path));
  TRY_ASSIGN(const Tree::Place place, "", tree.place(path));
  const std::string shown = join_path(tree.path(), path);
  if (entry.type == EntryType::kLink) {
    TRY_ASSIGN(entry.target, "", read_link(place, shown));
  }
  TRY_ASSIGN(entry.attributes, "", read_attributes(place, shown));
  return entry;
}

bool is_unchanged(const Entry& before, const Entry& now) {
  return before.type == now.type && before.size == now.size && before.modified == now.modified &&
         before.changed == now.changed && before.inode == now.inode && before.file_system == now.file_system &&
         before.same_as == now.same_as;
}

}  // namespace landfall::plugin_local
