#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/names.h"
#include "base/clock.h"
#include "base/result.h"
#include "json/json_fwd.h"

// How documents of a bucket become objects of this cluster. Whoever can write into a bucket could otherwise have this
// server do things: run a backup with its hooks (a phase that is not final), never let go of an object (finalizers),
// have it collected at once (owners that are not here). So only what is needed is taken: name, labels, annotations,
// spec and status, and only of what nobody would act on. Pure.
namespace landfall::control {

// Where the objects are to be, and where their files are.
struct SyncTarget {
  std::string name_space;
  std::string location;  // the name of the BackupStorageLocation
};

// A Backup to create, of a document that is known to be the Backup of its folder. Nothing for one that another server
// has not finished; when such a one has expired it is taken as PartiallyFailed, as in Velero, so that it can be
// deleted. kInvalid for one that is in no phase in which a server stores it. Owners are left out.
Result<std::optional<json::Json>> backup_from_bucket(const json::Json& document, const SyncTarget& target,
                                                     WallTime now);

// A PodVolumeBackup or VolumePluginBackup to create, which belongs to a Backup of this cluster. Nothing for a
// PodVolumeBackup that is not over, kInvalid for what is no such object.
Result<std::optional<json::Json>> volume_backup_from_bucket(const json::Json& document, const api::Kind& kind,
                                                            const json::Json& backup, const SyncTarget& target);

// Of a Backup whose volume backups are not all here yet: a server that dies between the two goes on when it sees it.
inline constexpr std::string_view kSyncIncomplete = "landfall.dev/sync-incomplete";

}  // namespace landfall::control
