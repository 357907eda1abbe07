#pragma once

#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "api/restore.h"
#include "base/guarded.h"
#include "base/log.h"
#include "base/result.h"
#include "control/context.h"
#include "control/plugin_transfer.h"
#include "control/restore_files.h"
#include "control/restore_volume_patches.h"
#include "control/settled_volumes.h"
#include "hooks/restore_hook_run.h"
#include "json/json_fwd.h"
#include "kube/discovery.h"
#include "operation/journal.h"

namespace landfall::control {

// A restore that this process is at, from its run to its end: its files, its journal, and the hooks that run in its
// pods meanwhile. One thread at a time, but for the hooks, which have threads of their own.
struct ActiveRestore {
  std::shared_ptr<const json::Json> restore;  // what the hooks point into
  std::unique_ptr<RestoreFiles> files;
  std::unique_ptr<operation::Journal> journal;
  std::vector<std::string> found_lines;           // of the journal, from an earlier process
  std::vector<PluginTransfer> quiet_volumes;      // made of snapshots; nobody has told how far they are
  std::vector<std::string> late_failures;         // of those, that the volume information does not tell
  std::unique_ptr<RestoreVolumePatches> volumes;  // of the finalizer; null before it has looked
  std::optional<SettledVolumes> settled;          // … and not before it is done with them
  std::string waits_for;                          // what the finalizer waits for …
  WallTime waits_since;                           // … and since when
  std::unique_ptr<hooks::RestoreHookRun> hooks;   // last: its threads write into the journal
};

// Opens the journal of a Restore and goes on with the hooks that an earlier process has begun; pods whose hooks are not
// over are looked up. kDataLoss when the journal is damaged.
Result<std::shared_ptr<ActiveRestore>> open_active_restore(const Context& context, const kube::Discovery& discovery,
                                                           std::shared_ptr<const json::Json> restore,
                                                           std::unique_ptr<RestoreFiles> files, const Logger& log,
                                                           const std::stop_token& stop);

// The Restore has reached its end: of its records only those stay that people ask for (the plan, the results, the
// volume information), where they are records. Hooks are stopped. What cannot be removed goes with the Restore, and is
// logged.
void forget_records(const Context& context, ActiveRestore& active, const std::stop_token& stop);

// Those of this process, by UID. What is in here ends with the lease: it must not outlive the term. Thread-safe.
class ActiveRestores {
 public:
  void put(const std::string& uid, std::shared_ptr<ActiveRestore> restore);
  // Null when there is none.
  std::shared_ptr<ActiveRestore> get(const std::string& uid) const;
  // Its hooks are stopped once nobody uses it any more.
  void drop(const std::string& uid);
  void clear();

 private:
  using All = std::map<std::string, std::shared_ptr<ActiveRestore>>;
  Guarded<All> all_;
};

}  // namespace landfall::control
