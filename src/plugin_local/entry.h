#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "plugin_local/tree.h"

namespace landfall::plugin_local {

enum class EntryType { kFile, kDirectory, kLink, kFifo, kCharacterDevice, kBlockDevice, kSocket };

// Everything about one thing in a tree but its bytes.
struct Entry {
  std::string path = ".";  // relative to the top
  EntryType type = EntryType::kFile;
  std::uint64_t size = 0;  // of a file
  std::uint32_t mode = 0;  // permissions
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::int64_t modified = 0;  // nanoseconds since 1970
  std::uint64_t device = 0;   // of a device: which one
  std::string target;         // of a symbolic link
  std::string same_as;        // the file whose other name this is (a hard link); it comes earlier
  std::map<std::string, std::string> attributes;
  std::string sha256;  // of a file's bytes, in hex

  // Whether the source has changed since: none of it outlives a snapshot.
  std::uint64_t inode = 0;
  std::uint64_t file_system = 0;
  std::int64_t changed = 0;
  std::uint64_t names = 1;  // how many hard links there are
};

// What is at a path. kNotFound when it has gone.
Result<Entry> read_entry(Tree& tree, const std::string& path);
// Only what stat() says: for counting.
Result<Entry> read_entry_briefly(Tree& tree, const std::string& path);

// Both were seen at one path: nothing has been written to it in between.
bool is_unchanged(const Entry& before, const Entry& now);

// One line of a manifest, without its end, and back. The line is hostile when read: paths that lead out are kInvalid.
std::string to_line(const Entry& entry);
Result<Entry> parse_line(std::string_view line);

}  // namespace landfall::plugin_local
