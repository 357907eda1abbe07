#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"
#include "bucket/backup_store.h"
#include "control/context.h"
#include "control/locations.h"
#include "extension/object_source.h"
#include "json/json.h"
#include "location/opened_location.h"
#include "operation/record_store.h"
#include "restore/plan.h"

namespace landfall::control {

// What one restore keeps: its files in restores/NAME/ of the bucket that holds the backup, and there, too, the records
// by which another process goes on with it. Where the location is read-only the records are in ConfigMaps of the
// server's namespace, and of the files only those that a server needs to go on; the others are not kept. Thread-safe.
class RestoreFiles {
 public:
  // Of the Restore, with the credentials of this moment. What the plugin of the location logs goes to the logger.
  static Result<std::unique_ptr<RestoreFiles>> open(const Context& context, const FoundLocation& location,
                                                    const json::Json& restore, const Logger& log,
                                                    const std::stop_token& stop);
  RestoreFiles(std::unique_ptr<location::OpenedLocation> opened, std::unique_ptr<operation::RecordStore> records,
               const json::Json& restore, bool is_read_only);  // use open()

  // Of the location: for what belongs to the backup.
  bucket::BackupStore& bucket() { return opened_->backups(); }
  operation::RecordStore& records() { return *records_; }
  bool is_read_only() const { return is_read_only_; }

  // Whether such a file is kept at all.
  bool keeps(bucket::RestoreArtifact artifact) const;
  // Does nothing for one that is not kept.
  Status write(bucket::RestoreArtifact artifact, const extension::ObjectSource& source, const std::stop_token& stop);
  Status write(bucket::RestoreArtifact artifact, const json::Json& document, const std::stop_token& stop);
  // Nothing when there is none.
  Result<std::optional<json::Json>> read(bucket::RestoreArtifact artifact, const std::stop_token& stop);

  Status save_plan(const restore::Plan& plan, const std::string& spool_directory, const std::stop_token& stop);
  // Nothing when there is none of this very Restore.
  Result<std::optional<restore::Plan>> load_plan(const std::stop_token& stop);

 private:
  const std::unique_ptr<location::OpenedLocation> opened_;
  const std::unique_ptr<operation::RecordStore> records_;
  const std::string name_;
  const std::string uid_;
  const bool is_read_only_;
};

// Where the backup of a Restore is; nothing when that, or its location, is gone.
Result<std::optional<FoundLocation>> location_of_restore(const Context& context, const json::Json& restore,
                                                         const std::stop_token& stop);

// The records of a Restore that are in ConfigMaps, if any; without regard to where its backup is.
std::unique_ptr<operation::RecordStore> config_map_records_of(const Context& context, const json::Json& restore);
// The name of the record that stands for a file where the location is read-only; empty for files that are not kept.
std::string_view record_name(bucket::RestoreArtifact artifact);

}  // namespace landfall::control
