#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/result.h"
#include "io/temp_dir.h"

namespace landfall::plugin {

// Where the plugins of this process have their sockets: a directory of its own, for this user only, made at the first
// use and removed at the end of this object, which outlives the rooms. Thread-safe.
//
// A process that is killed leaves its directory behind. The next one removes it: it sees by a lock in it, which goes
// with the process, that nobody lives there. A process id would not tell, being 1 in every container.
class SocketHome {
 public:
  // Below `temp_dir`, or /tmp where a socket's path would become too long.
  explicit SocketHome(const std::string& temp_dir);
  SocketHome(const SocketHome&) = delete;
  SocketHome& operator=(const SocketHome&) = delete;
  ~SocketHome();

  // A directory for one plugin.
  Result<io::TempDir> room(Clock& clock, const std::stop_token& stop);

 private:
  struct Opened;
  struct State {
    std::shared_ptr<const Opened> opened;
    bool is_opening = false;
  };

  const std::string parent_;
  Monitor<State> state_;
};

}  // namespace landfall::plugin
