#include "plugin_local/entry_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ranges>
#include <system_error>

namespace landfall::plugin_local {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

timespec time_of(std::int64_t nanoseconds) {
  std::int64_t seconds = nanoseconds / kSecond;
  std::int64_t rest = nanoseconds % kSecond;
  if (rest < 0) {
    --seconds;
    rest += kSecond;
  }
  return {.tv_sec = seconds, .tv_nsec = rest};
}

mode_t kind_of(EntryType type) {
  switch (type) {
    case EntryType::kFifo:
      return S_IFIFO;
    case EntryType::kCharacterDevice:
      return S_IFCHR;
    case EntryType::kBlockDevice:
      return S_IFBLK;
    case EntryType::kSocket:
      return S_IFSOCK;
    default:
      return S_IFREG;
  }
}

}  // namespace

Result<CopiedFile> EntryWriter::write(const Entry& entry, const OnBytes& on_bytes) {
  CopiedFile copied{.size = entry.size, .sha256 = entry.sha256};
  if (entry.type == EntryType::kDirectory) {
    TRY("", make_directory(entry));
    directories_.push_back(entry);
    return copied;
  }
  TRY("", to_.remove(entry.path));
  if (!entry.same_as.empty()) {
    TRY("", link(entry));
    return copied;
  }
  if (entry.type == EntryType::kFile) {
    TRY_ASSIGN(copied, "", make_file(entry, on_bytes));
  } else {
    TRY("", make_special(entry));
  }
  TRY("", set_metadata(entry));
  return copied;
}

Status EntryWriter::make_directory(const Entry& entry) {
  if (entry.path == ".") return {};
  TRY_ASSIGN(const Tree::Place place, "", to_.place(entry.path));
  if (::mkdirat(place.directory, place.name.c_str(), 0700) == 0) return {};
  const int error = errno;
  if (error == EEXIST && to_.open_entry(entry.path, O_RDONLY | O_DIRECTORY)) return {};
  if (error != EEXIST) return tl::unexpected(io::errno_error("create " + join_path(to_.path(), entry.path), error));
  TRY("", to_.remove(entry.path));
  TRY_ASSIGN(const Tree::Place again, "", to_.place(entry.path));
  if (::mkdirat(again.directory, again.name.c_str(), 0700) == 0) return {};
  return tl::unexpected(io::errno_error("create " + join_path(to_.path(), entry.path), errno));
}

Status EntryWriter::make_special(const Entry& entry) {
  TRY_ASSIGN(const Tree::Place place, "", to_.place(entry.path));
  const int made = entry.type == EntryType::kLink
                       ? ::symlinkat(entry.target.c_str(), place.directory, place.name.c_str())
                       : ::mknodat(place.directory, place.name.c_str(), kind_of(entry.type) | 0600U, entry.device);
  if (made == 0) return {};
  return tl::unexpected(io::errno_error("create " + join_path(to_.path(), entry.path), errno));
}

Result<CopiedFile> EntryWriter::make_file(const Entry& entry, const OnBytes& on_bytes) {
  TRY_ASSIGN(const io::Descriptor from, "", from_.open_entry(entry.path, O_RDONLY));
  TRY_ASSIGN(const io::Descriptor to, "", to_.open_entry(entry.path, O_RDWR | O_CREAT | O_EXCL));
  return copy_file(from.get(), join_path(from_.path(), entry.path), to.get(), join_path(to_.path(), entry.path),
                   on_bytes);
}

Status EntryWriter::link(const Entry& entry) {
  TRY_ASSIGN(const Tree::Place first, "", to_.place(entry.same_as));
  // The next place may close the directory of this one.
  const io::Descriptor kept(::fcntl(first.directory, F_DUPFD_CLOEXEC, 0));
  TRY_ASSIGN(const Tree::Place place, "", to_.place(entry.path));
  if (::linkat(kept.get(), first.name.c_str(), place.directory, place.name.c_str(), 0) == 0) return {};
  return tl::unexpected(io::errno_error("link " + join_path(to_.path(), entry.path), errno));
}

void EntryWriter::lose(const std::string& what, const std::string& path, int error) {
  if (std::ranges::find(lost_, what) != lost_.end()) return;
  lost_.push_back(what);
  losses_.push_back(what + " of " + path + " and maybe others: " + std::generic_category().message(error));
}

// The owner first: a change of it takes the set-uid bit away. The times last.
Status EntryWriter::set_metadata(const Entry& entry) {
  const std::string shown = join_path(to_.path(), entry.path);
  TRY_ASSIGN(const Tree::Place place, "", to_.place(entry.path));
  const char* name = place.name.c_str();
  if (::fchownat(place.directory, name, entry.uid, entry.gid, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno != EPERM && errno != EINVAL) return tl::unexpected(io::errno_error("set the owner of " + shown, errno));
    lose("owner", entry.path, errno);
  }
  const std::string path = "/proc/self/fd/" + std::to_string(place.directory) + "/" + place.name;
  for (const auto& [attribute, value] : entry.attributes) {
    if (::lsetxattr(path.c_str(), attribute.c_str(), value.data(), value.size(), 0) == 0) continue;
    if (errno != ENOTSUP && errno != EPERM) {
      return tl::unexpected(io::errno_error("set attribute " + attribute + " of " + shown, errno));
    }
    lose("attribute " + attribute, entry.path, errno);
  }
  if (entry.type != EntryType::kLink && ::fchmodat(place.directory, name, entry.mode, 0) != 0) {
    return tl::unexpected(io::errno_error("set the mode of " + shown, errno));
  }
  const std::array<timespec, 2> times = {timespec{.tv_sec = 0, .tv_nsec = UTIME_OMIT}, time_of(entry.modified)};
  if (::utimensat(place.directory, name, times.data(), AT_SYMLINK_NOFOLLOW) != 0) {
    return tl::unexpected(io::errno_error("set the times of " + shown, errno));
  }
  return {};
}

Status EntryWriter::finish_directories() {
  // The deepest first: what is done to one changes the one above it.
  for (const Entry& entry : std::views::reverse(directories_)) TRY("", set_metadata(entry));
  directories_.clear();
  return {};
}

}  // namespace landfall::plugin_local
