#include "kopia/links_aside.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quote.h"
#include "base/strings.h"
#include "io/descriptor.h"
#include "uploader_program/special_files.h"

namespace landfall::kopia {
namespace {

namespace fs = std::filesystem;
using io::Descriptor;
using uploader_program::for_each_special;
using uploader_program::open_below;
using uploader_program::open_directory;

constexpr std::string_view kAside = ".landfall-aside-";

tl::unexpected<Error> errno_failure(const std::string& what) {
  return tl::unexpected<Error>(io::errno_error(what, errno));
}

Result<Descriptor> open_volume(const std::string& volume) {
  Descriptor root(::open(volume.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root) return errno_failure("open " + volume);
  return root;
}

Result<Descriptor> make_aside(const std::string& volume) {
  std::string path = volume + "/" + std::string(kAside) + "XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) return errno_failure("create a directory in " + volume);
  return open_volume(path);
}

// Opens the directory of that path, and makes what is missing of it.
Result<Descriptor> make_below(int directory, std::string_view path) {
  constexpr mode_t kPrivate = 0700;
  TRY_ASSIGN(Descriptor opened, "", open_below(directory, ""));
  if (path.empty()) return opened;
  for (const std::string_view part : split(path, '/')) {
    const std::string name(part);
    if (::mkdirat(opened.get(), name.c_str(), kPrivate) != 0 && errno != EEXIST) return errno_failure(name);
    TRY_ASSIGN(opened, "", open_directory(opened.get(), name));
    if (!opened) return fail(Code::kInternal, quote(name) + " is no directory");
  }
  return opened;
}

Status move(int from, int to, const std::string& name) {
  if (::renameat(from, name.c_str(), to, name.c_str()) == 0 || errno == ENOENT) return {};
  return errno_failure("move " + quote(name));
}

Status put_back(const Descriptor& root, const Descriptor& aside) {
  return for_each_special(aside,
                          [&](int directory, const std::string& path, const std::string& name) -> Status {
                            TRY_ASSIGN(const Descriptor place, "", open_below(root.get(), path));
                            struct stat info{};
                            if (!place || ::fstatat(place.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0)
                              return {};
                            return move(directory, place.get(), name);
                          },
                          {});
}

}  // namespace

Status take_links_aside(const std::string& volume, const std::stop_token& stop) {
  TRY("", put_links_back(volume));
  TRY_ASSIGN(const Descriptor root, "", open_volume(volume));
  Descriptor aside;  // made for the first one
  TRY("take links aside", for_each_special(
                              root,
                              [&](int directory, const std::string& path, const std::string& name) -> Status {
                                if (!aside) {
                                  TRY_ASSIGN(aside, "", make_aside(volume));
                                }
                                TRY_ASSIGN(const Descriptor place, "", make_below(aside.get(), path));
                                return move(directory, place.get(), name);
                              },
                              stop));
  return {};
}

Status put_links_back(const std::string& volume) {
  TRY_ASSIGN(const Descriptor root, "put links back", open_volume(volume));
  std::vector<std::string> left;
  std::error_code error;
  fs::directory_iterator entry(volume, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename();
    if (name.starts_with(kAside)) left.push_back(name);
  }
  if (error) return fail(Code::kInternal, "put links back: " + volume + ": " + error.message());
  for (const std::string& name : left) {
    TRY_ASSIGN(const Descriptor aside, "put links back", open_directory(root.get(), name));
    if (!aside) continue;  // whatever it is, it is none of ours
    TRY("put links back", put_back(root, aside));
    fs::remove_all(fs::path(volume) / name, error);
    if (error) return fail(Code::kInternal, "put links back: " + name + ": " + error.message());
  }
  return {};
}

}  // namespace landfall::kopia
