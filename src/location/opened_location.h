#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"
#include "bucket/backup_store.h"
#include "extension/object_store.h"
#include "io/temp_dir.h"
#include "json/json_fwd.h"
#include "kube/client.h"
#include "location/drivers.h"

namespace landfall::location {

// A place for backups that is ready to be used: its store and the layout in it.
class OpenedLocation {
 public:
  OpenedLocation(std::unique_ptr<extension::ObjectStore> store, bucket::Layout layout,
                 std::optional<io::TempDir> secrets)
      : secrets_(std::move(secrets)), store_(std::move(store)), backups_(*store_, std::move(layout)) {}

  bucket::BackupStore& backups() { return backups_; }

 private:
  std::optional<io::TempDir> secrets_;  // files that the driver reads credentials from, for as long as it lives
  std::unique_ptr<extension::ObjectStore> store_;
  bucket::BackupStore backups_;
};

// What stands behind `--from`: "s3://bucket/prefix", or the directory that holds `backups/`. S3 is reached as the
// environment says: AWS_REGION, AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL, and the usual credentials.
Result<std::unique_ptr<OpenedLocation>> open_root(std::string_view root, const World& world);

// A BackupStorageLocation with the Secrets that it refers to. `directory`: where its credentials go, in a directory of
// their own that is removed with it.
Result<std::unique_ptr<OpenedLocation>> open_location(const json::Json& location, kube::Client& client,
                                                      const std::string& directory, const World& world,
                                                      const std::stop_token& stop);

}  // namespace landfall::location
