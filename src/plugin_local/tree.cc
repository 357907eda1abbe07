#include "plugin_local/tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <vector>

namespace landfall::plugin_local {
namespace {

constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

Result<io::Descriptor> open_at(int directory, const std::string& path, int flags, std::uint64_t resolve,
                               const std::string& shown) {
  open_how how{};
  how.flags = static_cast<unsigned>(flags | O_CLOEXEC);
  how.mode = (flags & O_CREAT) != 0 ? 0600U : 0U;
  how.resolve = resolve;
  while (true) {
    // NOLINTNEXTLINE(*-vararg): glibc has no function for it.
    const long opened = ::syscall(SYS_openat2, directory, path.c_str(), &how, sizeof how);
    if (opened >= 0) return io::Descriptor(static_cast<int>(opened));
    if (errno != EINTR && errno != EAGAIN) return tl::unexpected(io::errno_error("open " + shown, errno));
  }
}

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

}  // namespace

std::string join_path(const std::string& directory, std::string_view name) {
  if (directory == ".") return std::string(name);
  return directory + "/" + std::string(name);
}

Result<Tree> Tree::open(const std::string& path) {
  TRY_ASSIGN(io::Descriptor top, "", open_at(AT_FDCWD, path, kDirectory, 0, path));
  return Tree(path, std::move(top));
}

Result<Tree> Tree::open_in(const std::string& root, const std::string& path) {
  if (root.empty()) return open(path);
  TRY_ASSIGN(const io::Descriptor base, "", open_at(AT_FDCWD, root, kDirectory, 0, root));
  TRY_ASSIGN(io::Descriptor top, "", open_at(base.get(), path, kDirectory, RESOLVE_IN_ROOT, root + path));
  return Tree(root + path, std::move(top));
}

Result<io::Descriptor> Tree::open_entry(const std::string& path, int flags) const {
  return open_at(top_.get(), path, flags | O_NOFOLLOW | O_NONBLOCK, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS,
                 join_path(path_, path));
}

Result<Tree::Place> Tree::place(const std::string& path) {
  if (path == ".") return Place{.directory = top_.get(), .name = "."};
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return Place{.directory = top_.get(), .name = path};
  std::string parent = path.substr(0, slash);
  if (!parent_ || parent != parent_path_) {
    TRY_ASSIGN(parent_, "", open_entry(parent, kDirectory));
    parent_path_ = std::move(parent);
  }
  return Place{.directory = parent_.get(), .name = path.substr(slash + 1)};
}

Result<std::vector<std::string>> Tree::names_in(const std::string& path) const {
  const std::string shown = join_path(path_, path);
  TRY_ASSIGN(const io::Descriptor opened, "", open_entry(path, kDirectory));
  const int own = ::fcntl(opened.get(), F_DUPFD_CLOEXEC, 0);  // closed with the stream
  if (own < 0) return tl::unexpected(io::errno_error("read " + shown, errno));
  const std::unique_ptr<DIR, CloseDirectory> directory(::fdopendir(own));
  if (!directory) {
    const int error = errno;
    ::close(own);
    return tl::unexpected(io::errno_error("read " + shown, error));
  }
  std::vector<std::string> names;
  while (true) {
    errno = 0;
    const dirent* one = ::readdir(directory.get());  // NOLINT(concurrency-mt-unsafe): the stream is ours alone
    if (one == nullptr) break;
    std::string name(static_cast<const char*>(one->d_name));
    if (name != "." && name != "..") names.push_back(std::move(name));
  }
  if (errno != 0) return tl::unexpected(io::errno_error("read " + shown, errno));
  std::ranges::sort(names);
  return names;
}

Status Tree::remove(const std::string& path) {
  std::vector<std::string> rest{path};
  while (!rest.empty()) {
    const std::string next = rest.back();
    const auto found = place(next);
    if (!found && found.error().code() == Code::kNotFound) return {};
    if (!found) return tl::unexpected(found.error());
    if (::unlinkat(found->directory, found->name.c_str(), 0) == 0 || errno == ENOENT) {
      rest.pop_back();
      continue;
    }
    if (errno != EISDIR && errno != EPERM) {
      return tl::unexpected(io::errno_error("remove " + join_path(path_, next), errno));
    }
    if (::unlinkat(found->directory, found->name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) {
      rest.pop_back();
      if (parent_path_.starts_with(next)) parent_.reset();
      continue;
    }
    if (errno != ENOTEMPTY && errno != EEXIST) {
      return tl::unexpected(io::errno_error("remove " + join_path(path_, next), errno));
    }
    TRY_ASSIGN(const std::vector<std::string> names, "", names_in(next));
    for (const std::string& name : names) rest.push_back(join_path(next, name));
  }
  return {};
}

}  // namespace landfall::plugin_local
