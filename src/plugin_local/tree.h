#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/descriptor.h"

namespace landfall::plugin_local {

// A directory tree, reached by paths relative to its top ("." is the top itself) that never lead out of it: no part of
// a path is taken for a symbolic link, whatever others do to the tree meanwhile. Not thread-safe.
class Tree {
 public:
  // A place in the tree: the directory it is in, open as long as the next place() is not called, and its name there.
  struct Place {
    int directory = -1;
    std::string name;
  };

  static Result<Tree> open(const std::string& path);
  // `path` is one of a system whose "/" is seen at `root`: symbolic links in it are followed as that system does.
  static Result<Tree> open_in(const std::string& root, const std::string& path);

  // Files are opened without following them and without waiting (a fifo, a device). Errors name the path.
  Result<io::Descriptor> open_entry(const std::string& path, int flags) const;
  Result<Place> place(const std::string& path);
  // The names in a directory, in the order of their bytes.
  Result<std::vector<std::string>> names_in(const std::string& path) const;
  // Whatever is there, a directory with all that is in it; nothing there is no error.
  Status remove(const std::string& path);

  int descriptor() const { return top_.get(); }
  const std::string& path() const { return path_; }

 private:
  Tree(std::string path, io::Descriptor top) : path_(std::move(path)), top_(std::move(top)) {}

  std::string path_;
  io::Descriptor top_;
  std::string parent_path_;  // of what was reached last
  io::Descriptor parent_;
};

// "a/b" of "a" and "b", "b" of "." and "b".
std::string join_path(const std::string& directory, std::string_view name);

}  // namespace landfall::plugin_local
