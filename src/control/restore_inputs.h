#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "archive/spooled_archive.h"
#include "base/result.h"
#include "bucket/backup_store.h"
#include "control/context.h"
#include "json/json.h"

namespace landfall::control {

// What a restore reads of its backup, in memory and in a temporary file.
struct RestoreInputs {
  archive::SpooledArchive archive;
  std::optional<json::Json> volume_infos;
  std::optional<json::Json> volume_snapshots;
  std::optional<json::Json> csi_volume_snapshots;
  // As they are in the cluster; those that have not been brought here yet, as the bucket has them.
  std::vector<json::Json> pod_volume_backups;
};

// Reads it. An archive that is missing, not whole, or not the one whose digest the backup has recorded is an error:
// nothing is restored from it. `backup` is the Backup.
Result<RestoreInputs> read_restore_inputs(const Context& context, bucket::BackupStore& bucket, const json::Json& backup,
                                          const std::string& spool_directory, const std::stop_token& stop);

}  // namespace landfall::control
