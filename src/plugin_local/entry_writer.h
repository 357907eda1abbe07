#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "plugin_local/entry.h"
#include "plugin_local/file_copy.h"
#include "plugin_local/tree.h"

namespace landfall::plugin_local {

// Makes a copy of a tree, entry by entry, in another: what is in the way of an entry is removed. Directories get their
// modes and times only at the end, so that they can be written into and stay as they were. Not thread-safe.
class EntryWriter {
 public:
  EntryWriter(Tree& from, Tree& to) : from_(from), to_(to) {}

  // Makes what the entry says; of a file the bytes of `from` at the same path, whose size and digest are returned.
  // A file that is another name of one that is there already has no bytes of its own.
  Result<CopiedFile> write(const Entry& entry, const OnBytes& on_bytes);
  // A directory that is in the copy already will be finished too.
  void expect_directory(const Entry& entry) { directories_.push_back(entry); }
  Status finish_directories();

  // What the file system or the user that we are does not let us keep, by its reason; the first of each.
  const std::vector<std::string>& losses() const { return losses_; }

 private:
  Status make_directory(const Entry& entry);
  Status make_special(const Entry& entry);
  Result<CopiedFile> make_file(const Entry& entry, const OnBytes& on_bytes);
  Status link(const Entry& entry);
  Status set_metadata(const Entry& entry);
  void lose(const std::string& what, const std::string& path, int error);

  Tree& from_;
  Tree& to_;
  std::vector<Entry> directories_;
  std::vector<std::string> losses_;
  std::vector<std::string> lost_;  // what has been complained of
};

}  // namespace landfall::plugin_local
