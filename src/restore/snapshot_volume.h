#pragma once

#include <stop_token>
#include <string>

#include "base/result.h"
#include "json/json_fwd.h"
#include "restore/restore_job.h"

namespace landfall::restore {

// Makes a PersistentVolume refer to a volume that is made of its snapshot, under another name where a volume of that
// name is there and belongs to the namespace that is mapped away. Returns its name in the cluster. A volume that is on
// its way out is waited for; one that stays is left alone, and no volume is made.
Result<std::string> volume_from_snapshot(json::Json& volume, const RestoreJob& job, RestoreTools& tools,
                                         const std::stop_token& stop);

// The namespace of its claim, after mapping.
void map_claim_namespace(json::Json& volume, const json::StringMap& mapping);

}  // namespace landfall::restore
