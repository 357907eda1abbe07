#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "plugin_local/entry.h"
#include "plugin_local/file_copy.h"
#include "plugin_local/walk.h"

// For tests: trees with everything that a directory can hold, and what two of them have in common.
namespace landfall::plugin_local {

namespace fs = std::filesystem;

inline void write_bytes(const fs::path& path, const std::string& bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

inline void set_times(const fs::path& path, std::int64_t seconds, long nanoseconds) {
  const std::array<timespec, 2> times = {timespec{.tv_sec = seconds, .tv_nsec = nanoseconds},
                                         timespec{.tv_sec = seconds, .tv_nsec = nanoseconds}};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times.data(), AT_SYMLINK_NOFOLLOW), 0) << path;
}

inline bool is_root() { return ::geteuid() == 0; }

// Everything at once. A sparse file of 64 MiB with two islands is among it.
inline void make_rich_tree(const fs::path& top) {
  write_bytes(top / "plain", "some bytes\n");
  write_bytes(top / "empty", "");
  write_bytes(top / "deep/er/and/deeper", std::string(3'000'000, 'x') + "end");
  write_bytes(top / "name with \n and \xff and %41", "odd");
  fs::create_directories(top / "empty directory");
  fs::create_symlink("/etc/passwd", top / "link");
  fs::create_symlink("nowhere", top / "deep/dangling");
  fs::create_hard_link(top / "plain", top / "deep/other name");
  ASSERT_EQ(::mkfifo((top / "fifo").c_str(), 0640), 0);
  write_bytes(top / "sparse", "");
  {
    const io::Descriptor file(::open((top / "sparse").c_str(), O_WRONLY | O_CLOEXEC));
    ASSERT_EQ(::pwrite(file.get(), "island", 6, 1 << 20), 6);
    ASSERT_EQ(::pwrite(file.get(), "another", 7, 40 << 20), 7);
    ASSERT_EQ(::ftruncate(file.get(), 64 << 20), 0);
  }
  ::setxattr((top / "plain").c_str(), "user.colour", "blue", 4, 0);  // not every file system can
  ::setxattr((top / "deep").c_str(), "user.depth", "1", 1, 0);
  ASSERT_EQ(::chmod((top / "empty").c_str(), 0400), 0);
  ASSERT_EQ(::chmod((top / "deep/er").c_str(), 0550), 0);
  if (is_root()) {
    ASSERT_EQ(::lchown((top / "plain").c_str(), 1234, 4321), 0);
    ASSERT_EQ(::lchown((top / "link").c_str(), 77, 78), 0);
    ASSERT_EQ(::mknod((top / "device").c_str(), S_IFCHR | 0600, makedev(1, 3)), 0);
    ASSERT_EQ(::chmod((top / "plain").c_str(), 04751), 0);
  }
  set_times(top / "plain", 1'000'000'000, 123'456'789);
  set_times(top / "link", 1'100'000'000, 5);
  set_times(top / "sparse", -5, 7);
  set_times(top / "empty directory", 1'200'000'000, 0);
  set_times(top / "deep/er", 1'300'000'000, 1);
  set_times(top, 1'400'000'000, 2);
}

// Each path with all that must be the same in a copy.
inline std::map<std::string, std::string> described(const fs::path& top) {
  std::map<std::string, std::string> all;
  Tree tree = Tree::open(top).value();
  std::map<std::uint64_t, std::string> inodes;
  const auto look = [&](const std::string& path) -> Result<bool> {
    Entry entry = read_entry(tree, path).value();
    if (entry.type == EntryType::kFile) {
      const io::Descriptor file = tree.open_entry(path, O_RDONLY).value();
      entry.sha256 = digest_file(file.get(), path, [](std::uint64_t) { return Status(); }).value().sha256;
      const auto [first, is_new] = inodes.try_emplace(entry.inode, path);
      if (!is_new) entry.same_as = first->second;
    }
    entry.inode = entry.file_system = 0;
    entry.changed = 0;
    all[path] = to_line(entry);
    return entry.type == EntryType::kDirectory;
  };
  EXPECT_TRUE(walk(tree, look));
  return all;
}

inline std::int64_t blocks_of(const fs::path& path) {
  struct stat info{};
  EXPECT_EQ(::lstat(path.c_str(), &info), 0);
  return info.st_blocks;
}

}  // namespace landfall::plugin_local
