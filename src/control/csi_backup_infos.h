#pragma once

#include <optional>
#include <stop_token>

#include "base/log.h"
#include "base/result.h"
#include "bucket/backup_store.h"
#include "control/context.h"
#include "json/json.h"
#include "kube/discovery.h"
#include "volume_info/backup_csi_rows.h"

// Reads from the cluster what the volume information of a backup has to tell about CSI snapshots and moved data. Lists
// only, and only where there is something to be found.
namespace landfall::control {

// At the end of the run. What cannot be read is a warning in the backup's log: the other rows are there all the same.
void add_csi_rows(const Context& context, const json::Json& backup, const kube::Discovery& discovery,
                  const volume_info::Operations& operations, const Logger& log, json::Json& rows,
                  const std::stop_token& stop);

// When the operations are over. `infos` is the document if it has been changed already, and is read otherwise; what is
// returned is the document if it is to be written again. An error is one to be tried again.
Result<std::optional<json::Json>> end_csi_infos(const Context& context, const json::Json& backup,
                                                bucket::BackupStore& store, const volume_info::Operations& operations,
                                                std::optional<json::Json> infos, const std::stop_token& stop);

}  // namespace landfall::control
