#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "archive/archive_limits.h"
#include "base/result.h"
#include "bucket/backup_store.h"

namespace landfall::bucket {

// One file in the folder of a backup.
struct VerifiedFile {
  std::string name;
  std::uint64_t size = 0;
  bool has_checksum = false;
  std::vector<std::string> problems;  // none: it is whole
};

// Listed by the backup, but not in its archive.
struct AbsentItem {
  std::string kind;    // "v1/Pod", as the list has it
  std::string name;    // "shop/db-0"
  std::string reason;  // what the backup recorded when it failed; empty where it recorded nothing
};

struct VerifyReport {
  std::string backup;
  std::string phase;           // of the Backup; empty when that cannot be read
  bool has_checksums = false;  // Velero writes none
  std::vector<VerifiedFile> files;
  std::int64_t items = 0;             // in the archive
  std::vector<AbsentItem> absent;     // in the resource list only
  std::vector<std::string> unlisted;  // in the archive only: "v1/Pod shop/web-1"; the first hundred
  std::int64_t unlisted_count = 0;
  std::vector<std::string> problems;  // of the backup as a whole
  std::vector<std::string> notes;     // what is worth knowing and no damage

  // Nothing is damaged or lost. Items that failed at backup time, and said so, are neither.
  bool is_whole() const;
};

struct VerifyProgress {
  std::string_view file;
  std::uint64_t bytes_done = 0;   // of all files
  std::uint64_t bytes_total = 0;  // 0 where the store does not know
};

struct VerifyOptions {
  std::string spool_directory;
  archive::ArchiveLimits limits;
  std::function<void(const VerifyProgress&)> on_progress;  // may be empty; in the calling thread
};

// Reads every file of a backup to its end: compares it with its checksum where there is one, and checks that gzip, tar
// and JSON are whole and that archive, Backup and resource list agree. What is wrong with the backup stands in the
// report; an error means that it could not be found out (kNotFound: there is no such backup).
Result<VerifyReport> verify(BackupStore& store, std::string_view name, const VerifyOptions& options,
                            const std::stop_token& stop);

}  // namespace landfall::bucket
