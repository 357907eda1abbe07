#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/descriptor.h"

// The folders of a bucket that is a directory. They are reached from the bucket's descriptor one part at a time and
// never through a symbolic link, so nothing that lies in a bucket can lead out of it.
//
// A folder is written as in keys, without a "/" at its end; "" is the bucket itself. All parts must be such as
// extension::check_key() accepts.

namespace landfall::store {

enum class IfMissing { kFail, kCreate };

// kNotFound where a part is missing (or was removed by another while we created it), kInvalid where a part is there but
// is no directory. What is created is on the disk only after sync_path().
Result<io::Descriptor> open_folder(int bucket, std::string_view folder, IfMissing if_missing);

// Makes sure that the folder and those above it survive a power cut; not what is in it.
Status sync_path(int bucket, std::string_view folder);

// Removes the folder and those above it as far as they are empty. Never fails: a folder that stays does no harm.
void remove_empty_folders(int bucket, std::string_view folder);

// The size of a file that can be an object; nothing when there is none of that name, or something else: a directory, a
// link, a device.
Result<std::optional<std::uint64_t>> object_size(int folder, const std::string& name);

struct FolderEntry {
  std::string name;  // that of a folder ends in "/", which puts all in the order of keys: "a-b" before "a/"
  std::uint64_t size = 0;

  bool is_folder() const { return name.ends_with('/'); }
};

struct FolderContent {
  std::vector<FolderEntry> entries;      // objects and folders, sorted by name
  std::vector<std::string> temporaries;  // of puts that are under way or died
  std::size_t skipped = 0;               // files whose name no key can have
  std::string skipped_name;              // one of them
};

// What is in the folder under names that begin with `prefix`. Neither links nor devices are told of.
Result<FolderContent> read_folder(int folder, std::string_view prefix, const std::stop_token& stop);

// fsync and open, again after an interruption by a signal; errno tells what failed.
int sync_descriptor(int fd);
int open_at(int folder, const std::string& name, int flags, mode_t mode = 0);

}  // namespace landfall::store
