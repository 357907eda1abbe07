#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "api/storage_location.h"
#include "base/log.h"
#include "base/result.h"
#include "json/json.h"
#include "kube/client.h"
#include "location/drivers.h"
#include "location/opened_location.h"
#include "location/snapshot_location.h"

namespace landfall::control {

// A BackupStorageLocation as it stands in the cluster.
struct FoundLocation {
  std::string name;
  json::Json object;
  api::StorageLocation view;
};

// The BackupStorageLocations of the server's namespace and their buckets, and who takes snapshots for its
// VolumeSnapshotLocations. Thread-safe.
class Locations {
 public:
  Locations(kube::Client& client, std::string name_space, location::World world)
      : client_(client), name_space_(std::move(name_space)), world_(std::move(world)) {}

  // kNotFound when there is none of that name.
  Result<FoundLocation> find(const std::string& name, const std::stop_token& stop) const;
  // All of them that can be read, by name; others are for their own reconciler to speak of.
  Result<std::vector<FoundLocation>> all(const std::stop_token& stop) const;

  // Its bucket, with the credentials of this moment.
  Result<std::unique_ptr<location::OpenedLocation>> open(const FoundLocation& found, const std::stop_token& stop) const;
  // The same for one operation: what a plugin logs goes to its logger.
  Result<std::unique_ptr<location::OpenedLocation>> open(const FoundLocation& found, const Logger& log,
                                                         const std::stop_token& stop) const;

  // The snapshotter of a VolumeSnapshotLocation, likewise. kNotFound when there is none of that name.
  Result<location::OpenedSnapshotLocation> open_snapshots(const std::string& name, const Logger& log,
                                                          const std::stop_token& stop) const;

 private:
  location::World world_logging_to(const Logger& log) const;

  kube::Client& client_;
  const std::string name_space_;
  const location::World world_;
};

}  // namespace landfall::control
