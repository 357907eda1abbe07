#pragma once

#include <stop_token>
#include <string>

#include "archive/spooled_archive.h"
#include "base/result.h"
#include "bucket/backup_store.h"
#include "bucket/verified_reader.h"

namespace landfall::bucket {

// Reads the archive of a backup into a nameless temporary file. kNotFound when there is none; kDataLoss when it is
// damaged, or not the one whose digest the backup has recorded. `on_bytes` hears of every piece that has come.
Result<archive::SpooledArchive> read_stored_archive(BackupStore& backups, const std::string& backup,
                                                    const std::string& spool_directory,
                                                    VerifiedReader::OnBytes on_bytes, const std::stop_token& stop);

}  // namespace landfall::bucket
