#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "archive/spooled_archive.h"
#include "base/result.h"
#include "cli/context.h"
#include "json/json_fwd.h"
#include "location/opened_location.h"

namespace landfall::cli {

// A backup in a bucket, read as far as a restore needs it.
struct RestoreSource {
  std::unique_ptr<json::Json> backup;
  std::optional<archive::SpooledArchive> archive;
  // What the backup says about its volumes; null where it says nothing.
  std::unique_ptr<json::Json> volume_infos;
  std::unique_ptr<json::Json> volume_snapshots;
  std::unique_ptr<json::Json> csi_volume_snapshots;
  std::vector<json::Json> pod_volume_backups;
};

// Reads it, and shows how far reading is. kNotFound says which backups there are; kDataLoss for an archive that is
// damaged, missing, or not the one that its checksum speaks of; kInvalid for a backup that is not finished.
Result<RestoreSource> read_source(bucket::BackupStore& backups, const std::string& name, const Context& context);

}  // namespace landfall::cli
