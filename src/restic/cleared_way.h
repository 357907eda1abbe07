#pragma once

#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/descriptor.h"

namespace landfall::restic {

// Takes out of a volume what must not be there when a snapshot is restored into it: links, pipes, sockets and devices
// where the snapshot has anything, or on the way there. Restic before 0.17 follows links that stand where it restores a
// file or a directory, out of the volume and as root, waits for ever at a pipe, and fails where a link or a pipe
// belongs and is there already. What the snapshot has no name for stays, as do files and directories.
//
// Follows no link itself. Of the volume it keeps the last directory open: what comes directory by directory, as `ls`
// says it, costs a look a name. One thread.
class ClearedWay {
 public:
  static Result<ClearedWay> create(const std::string& directory);

  // For each node of the snapshot; the path starts at its root.
  Status clear(std::string_view path);
  // After the last one. Restic's JSON has U+FFFD for bytes that are not UTF-8: which of such names it meant is not to
  // be told, and if there was any, special files go wherever their path is not UTF-8.
  Status finish(const std::stop_token& stop);

 private:
  explicit ClearedWay(io::Descriptor root) : root_(std::move(root)) {}
  // Makes it the directory that is open; false when there is none, so that nothing can be in the way there.
  Result<bool> enter(std::string_view path);

  io::Descriptor root_;
  std::string entered_;     // the path of the directory that was entered last
  io::Descriptor current_;  // nothing: it is the root, or it is not there
  bool has_unclear_names_ = false;
};

}  // namespace landfall::restic
