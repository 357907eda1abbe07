#pragma once

#include <map>
#include <stop_token>

#include "base/result.h"
#include "bucket/backup_store.h"
#include "control/backup_cleanup.h"
#include "control/context.h"
#include "json/json_fwd.h"

namespace landfall::control {

// How many pieces of each sort of data a backup keeps outside its folder, by its files and by the objects of this
// cluster; sorts that it has none of are left out. kDataLoss when a file that tells it cannot be read.
Result<std::map<VolumeData, int>> volume_data_of(const Context& context, const json::Json& backup,
                                                 bucket::BackupStore& store, const std::stop_token& stop);

}  // namespace landfall::control
