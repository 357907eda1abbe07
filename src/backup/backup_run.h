#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "backup/backup_job.h"
#include "base/result.h"
#include "io/spool_file.h"
#include "json/json_fwd.h"
#include "operation/item_operation.h"

namespace landfall::backup {

// What a run leaves to be stored. Files without a name.
struct BackupProduct {
  io::SpoolFile archive;
  io::SpoolFile resource_list;
  std::unique_ptr<json::Json> volume_infos;
  std::vector<operation::ItemOperation> operations;
  std::int64_t items = 0;  // in the archive
};

// Runs a backup up to the point where its files can be stored: collects, runs hooks and actions, writes the archive.
// Progress is published all along; start() and finish() of the reporter are the caller's.
//
// What goes wrong with single objects is in the log. An error means that there is no backup: kCancelled within a second
// of a stop, a full disk, a cluster that cannot be asked.
Result<BackupProduct> run_backup(const BackupJob& job, BackupTools& tools, const std::stop_token& stop);

}  // namespace landfall::backup
