#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "bucket/backup_store.h"
#include "control/context.h"
#include "json/json.h"
#include "operation/item_operation.h"

namespace landfall::control {

// What is left to be written about the snapshots of a backup when all that went on after its run is over.
struct SnapshotEnding {
  // Resources that have appeared since the run, and say that their snapshot is under way: these are to be waited for
  // before the backup is final.
  std::vector<operation::ItemOperation> late;
  std::vector<std::string> late_failures;  // of snapshots that nobody knew to go on
  std::optional<json::Json> records;       // if they have changed
  std::optional<json::Json> volume_infos;  // likewise
  std::optional<json::Json> resources;     // VolumePluginBackups in their last state, if there are any
  std::optional<std::int64_t> completed;   // of the snapshots; none: the backup has none
  std::int64_t failed = 0;  // of the snapshots, whenever they did: each of them is an error of the backup
};

// `operations` are those of the backup.
Result<SnapshotEnding> end_snapshots(const Context& context, const json::Json& backup, bucket::BackupStore& store,
                                     const std::vector<operation::ItemOperation>& operations,
                                     const std::stop_token& stop);

// The failures of volume snapshotters among operations, for the results of the Backup or Restore: they are about
// PersistentVolumes. Those that `before` has as failures too are left out.
std::vector<std::string> new_transfer_failures(const std::vector<operation::ItemOperation>& before,
                                               const std::vector<operation::ItemOperation>& now);
// The document of results with errors added to those of the cluster; those that it has already are not added again.
Result<json::Json> with_cluster_errors(const json::Json& results, const std::vector<std::string>& errors);

}  // namespace landfall::control
