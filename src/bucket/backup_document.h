#pragma once

#include "base/result.h"
#include "bucket/layout.h"
#include "json/json_fwd.h"

namespace landfall::bucket {

// Whether a document is the velero.io/v1 Backup that this folder belongs to; kDataLoss when it is not.
Status check_is_backup(const json::Json& document, const BackupFolder& folder);

}  // namespace landfall::bucket
