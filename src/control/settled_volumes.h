#pragma once

#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "base/log.h"
#include "control/context.h"
#include "control/restore_files.h"
#include "json/json.h"
#include "k8s/object_ref.h"
#include "operation/item_operation.h"

// The volume information of a restore when all that went on after its run is over.
namespace landfall::control {

// Brings the rows up to date: claims that have been bound since, and what has become of bytes that were still moving.
// True when something has changed. What cannot be read is a warning in the log.
bool settle_volume_rows(const Context& context, const json::Json& restore,
                        const std::vector<operation::ItemOperation>& operations, json::Json& rows, const Logger& log,
                        const std::stop_token& stop);

// The restore is canceled: what was under way has not come to its end. A best effort.
void cancel_volume_rows(RestoreFiles& files, const Logger& log, const std::stop_token& stop);

// Claims that were waited for in vain have not got what their snapshots hold. True when something has changed.
bool fail_unbound_rows(const std::set<k8s::NamespacedName>& unbound, json::Json& rows);

struct VolumeNote {
  std::string name_space;
  std::string text;

  friend bool operator==(const VolumeNote&, const VolumeNote&) = default;
};
// Those that should have their data and have it not.
std::vector<VolumeNote> failed_volumes(const json::Json& rows);
// Those whose data may come when the restore has ended: a claim that waits for its first pod.
std::vector<VolumeNote> unfinished_volumes(const json::Json& rows);

// What the results of a restore have to say of its volumes.
struct SettledVolumes {
  std::vector<VolumeNote> failed_late;  // since the run has ended, so that no result tells of them yet
  std::vector<VolumeNote> failed;       // all
  std::vector<VolumeNote> unfinished;
};

}  // namespace landfall::control
