#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"
#include "bucket/backup_store.h"
#include "extension/object_store.h"
#include "io/memory_file.h"
#include "json/json_fwd.h"
#include "kube/client.h"
#include "location/drivers.h"
#include "operation/record_store.h"

namespace landfall::location {

// A place for backups that is ready to be used: its store and the layout in it.
class OpenedLocation {
 public:
  OpenedLocation(std::unique_ptr<extension::ObjectStore> store, bucket::Layout layout,
                 std::optional<io::MemoryFile> credentials)
      : credentials_(std::move(credentials)), store_(std::move(store)), backups_(*store_, std::move(layout)) {}

  bucket::BackupStore& backups() { return backups_; }

  // Where a restore keeps its journal; not to outlive the location. kInvalid for what can be no Restore.
  Result<std::unique_ptr<operation::RecordStore>> restore_records(std::string_view restore, std::string_view uid);

 private:
  std::optional<io::MemoryFile> credentials_;  // which the driver reads, for as long as it lives
  std::unique_ptr<extension::ObjectStore> store_;
  bucket::BackupStore backups_;
};

// What stands behind `--from`: "s3://bucket/prefix", or the directory that holds `backups/`. S3 is reached as the
// environment says: AWS_REGION, AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL, and the usual credentials.
Result<std::unique_ptr<OpenedLocation>> open_root(std::string_view root, const World& world);

// A BackupStorageLocation with the Secrets that it refers to. One that names no credential gets those that Velero's
// installer gives to the server (the Secret cloud-credentials), unless the environment brings others.
Result<std::unique_ptr<OpenedLocation>> open_location(const json::Json& location, kube::Client& client,
                                                      const World& world, const std::stop_token& stop);

}  // namespace landfall::location
