#include "uploader_program/special_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <utility>
#include <vector>

#include "base/quote.h"
#include "base/strings.h"

namespace landfall::uploader_program {
namespace {

constexpr int kDirectoryOnly = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

struct Close {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

struct Entries {
  std::vector<std::string> directories;
  std::vector<std::string> specials;
};

bool is_special(mode_t mode) { return !S_ISREG(mode) && !S_ISDIR(mode); }

// 0 for what is gone again.
Result<mode_t> mode_of(int directory, const std::string& name) {
  struct stat info{};
  if (::fstatat(directory, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0) return info.st_mode;
  if (errno == ENOENT) return mode_t{0};
  return tl::unexpected(io::errno_error("stat " + quote(name), errno));
}

Result<Entries> entries_of(int directory) {
  const std::unique_ptr<DIR, Close> stream(::fdopendir(::openat(directory, ".", kDirectoryOnly)));
  if (!stream) return tl::unexpected(io::errno_error("read a directory", errno));
  Entries entries;
  while (true) {
    errno = 0;
    const dirent* const entry = ::readdir(stream.get());  // NOLINT(concurrency-mt-unsafe): the stream is ours alone
    if (entry == nullptr && errno != 0) return tl::unexpected(io::errno_error("read a directory", errno));
    if (entry == nullptr) return entries;
    const std::string name = static_cast<const char*>(entry->d_name);
    if (name == "." || name == ".." || entry->d_type == DT_REG) continue;
    mode_t mode = DTTOIF(entry->d_type);
    if (entry->d_type == DT_UNKNOWN) {
      TRY_ASSIGN(mode, "", mode_of(directory, name));
    }
    if (S_ISDIR(mode)) entries.directories.push_back(name);
    if (mode != 0 && is_special(mode)) entries.specials.push_back(name);
  }
}

}  // namespace

Result<io::Descriptor> open_directory(int parent, const std::string& name) {
  io::Descriptor opened(::openat(parent, name.c_str(), kDirectoryOnly));
  if (opened || errno == ENOENT || errno == ENOTDIR || errno == ELOOP) return opened;
  return tl::unexpected(io::errno_error("open " + quote(name), errno));
}

Result<io::Descriptor> open_below(int directory, std::string_view path) {
  TRY_ASSIGN(io::Descriptor opened, "", open_directory(directory, "."));
  if (path.empty()) return opened;
  for (const std::string_view name : split(path, '/')) {
    TRY_ASSIGN(opened, "", open_directory(opened.get(), std::string(name)));
    if (!opened) break;
  }
  return opened;
}

Status remove_special(int directory, const std::string& name) {
  TRY_ASSIGN(const mode_t mode, "", mode_of(directory, name));
  if (mode == 0 || !is_special(mode)) return {};
  if (::unlinkat(directory, name.c_str(), 0) == 0 || errno == ENOENT) return {};
  return tl::unexpected(io::errno_error("remove " + quote(name), errno));
}

Status for_each_special(const io::Descriptor& root, const VisitSpecial& visit, const std::stop_token& stop) {
  // Paths, not descriptors: a tree may be deeper than there are descriptors.
  std::vector<std::string> pending = {""};
  while (!pending.empty()) {
    if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
    const std::string path = std::move(pending.back());
    pending.pop_back();
    TRY_ASSIGN(const io::Descriptor directory, quote(path), open_below(root.get(), path));
    if (!directory) continue;  // it was there a moment ago
    TRY_ASSIGN(const Entries entries, quote(path), entries_of(directory.get()));
    for (const std::string& name : entries.specials) TRY(quote(path), visit(directory.get(), path, name));
    for (const std::string& name : entries.directories) pending.push_back(path.empty() ? name : path + "/" + name);
  }
  return {};
}

}  // namespace landfall::uploader_program
