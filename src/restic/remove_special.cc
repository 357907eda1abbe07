#include "restic/remove_special.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "io/descriptor.h"

namespace landfall::restic {

Status remove_special(const std::string& directory, std::string_view path) {
  std::vector<std::string> names;
  for (const auto& name : split(path, '/')) {
    if (name == "..") return fail(Code::kInvalid, "a path in the snapshot leads out of it");
    if (!name.empty() && name != ".") names.emplace_back(name);
  }
  if (names.empty()) return {};
  io::Descriptor parent(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (std::size_t i = 0; parent && i + 1 < names.size(); ++i) {
    io::Descriptor next(::openat(parent.get(), names[i].c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    parent = std::move(next);
  }
  if (!parent) return {};
  struct stat info{};
  const std::string& name = names.back();
  if (::fstatat(parent.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return {};
  if (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)) return {};
  if (::unlinkat(parent.get(), name.c_str(), 0) == 0 || errno == ENOENT) return {};
  return tl::unexpected(io::errno_error("remove " + std::string(path), errno));
}

}  // namespace landfall::restic
