#pragma once

#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "api/names.h"
#include "base/guarded.h"
#include "base/log.h"
#include "base/result.h"
#include "control/context.h"
#include "json/json_fwd.h"
#include "location/snapshot_location.h"

namespace landfall::control {

// The volume snapshotters of one operation: each location is opened once, when it is first asked for, and stays open.
// Thread-safe.
class Snapshotters {
 public:
  // What their plugins log goes to the logger.
  Snapshotters(const Context& context, Logger log) : context_(context), log_(std::move(log)) {}
  Snapshotters(const Snapshotters&) = delete;
  Snapshotters& operator=(const Snapshotters&) = delete;
  ~Snapshotters() = default;

  using Opened = std::shared_ptr<const location::OpenedSnapshotLocation>;
  // By the name of the VolumeSnapshotLocation. One that could not be opened is not tried for every volume again.
  Result<Opened> get(const std::string& location, const std::stop_token& stop);
  // They are tried again from now on.
  void forget_failures();

 private:
  struct Entry {
    bool is_opening = true;
    Opened opened;
    std::optional<Error> error;
  };
  using Entries = std::map<std::string, Entry>;

  const Context context_;
  const Logger log_;
  Monitor<Entries> entries_;
};

// The snapshotters of the operations of this process, from the run that has opened them to the end of what they have
// begun: a plugin may move the bytes in its own process, which ends with its last user. Thread-safe.
class SnapshotSessions {
 public:
  // Of a Backup or Restore; made anew, with that logger, where there are none, as after a restart.
  std::shared_ptr<Snapshotters> of(const Context& context, const json::Json& owner, const Logger& log);
  // All of that name. They are closed once nobody uses them any more.
  void drop(const api::Kind& kind, const std::string& name);

 private:
  struct Key {
    std::string kind;
    std::string name;
    std::string uid;
    auto operator<=>(const Key&) const = default;
  };
  using All = std::map<Key, std::shared_ptr<Snapshotters>>;
  Guarded<All> all_;
};

}  // namespace landfall::control
