#pragma once

#include <string>
#include <vector>

#include "cli/described_file.h"
#include "json/json_fwd.h"

namespace landfall::cli {

// What a backup says of its volumes, but for those that a node agent has read: entries of its volume info file, or
// entries of the same form, made from the files that older Veleros wrote.
struct BackupVolumes {
  std::vector<json::Json> native;        // snapshots that a plugin has taken
  std::vector<json::Json> csi;           // CSI snapshots, and data moved from them
  std::vector<json::Json> without_data;  // those that the backup holds nothing of
  bool is_legacy = false;                // there is no volume info file
  std::string error;                     // in Velero's words what is shown in their place
};

// Fetches what is needed of it.
BackupVolumes read_backup_volumes(const json::Json& backup, DescribedFiles& files);

}  // namespace landfall::cli
