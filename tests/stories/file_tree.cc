#include "stories/file_tree.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "base/digest.h"

namespace landfall::stories {
namespace {

namespace fs = std::filesystem;

std::string attributes(const fs::path& path) {
  std::array<char, 4096> names{};
  const ssize_t size = ::llistxattr(path.c_str(), names.data(), names.size());
  std::map<std::string, std::string> found;
  for (ssize_t at = 0; at < size;) {
    const std::string name(names.data() + at);
    at += static_cast<ssize_t>(name.size()) + 1;
    std::array<char, 4096> value{};
    const ssize_t length = ::lgetxattr(path.c_str(), name.c_str(), value.data(), value.size());
    if (length >= 0) found[name] = std::string(value.data(), static_cast<std::size_t>(length));
  }
  std::string text;
  for (const auto& [name, value] : found) text += fmt::format(" {}={}", name, value);
  return text;
}

std::string digest_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  Sha256 digest;
  std::vector<char> block(1U << 20U);
  while (file) {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    digest.update({block.data(), static_cast<std::size_t>(file.gcount())});
  }
  return hex_encode(as_bytes(digest.finish()));
}

}  // namespace

std::map<std::string, std::string> file_tree(const fs::path& root) {
  std::map<std::string, std::string> tree;
  std::map<ino_t, std::string> first_name;
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(root)) paths.push_back(entry.path());
  std::ranges::sort(paths);
  for (const fs::path& path : paths) {
    struct stat info{};
    if (::lstat(path.c_str(), &info) != 0) throw std::runtime_error("no stat of " + path.string());
    const std::string name = fs::relative(path, root);
    std::string line = fmt::format("{:o} {}:{} {}.{:09}", info.st_mode, info.st_uid, info.st_gid, info.st_mtim.tv_sec,
                                   info.st_mtim.tv_nsec);
    if (S_ISLNK(info.st_mode)) {
      line += " -> " + fs::read_symlink(path).string();
    } else if (S_ISREG(info.st_mode)) {
      const std::string& first = first_name.emplace(info.st_ino, name).first->second;
      line += fmt::format(" {} bytes {}{}", info.st_size, digest_of(path), first == name ? "" : " same as " + first);
    }
    tree[name] = line + attributes(path);
  }
  return tree;
}

}  // namespace landfall::stories
