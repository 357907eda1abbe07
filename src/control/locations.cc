#include "control/locations.h"

#include "api/names.h"
#include "k8s/object_view.h"
#include "kube/resource.h"

namespace landfall::control {
namespace {

Result<FoundLocation> as_found(json::Json object) {
  std::string name(k8s::ObjectView(object).name());
  TRY_ASSIGN(api::StorageLocation view, "backup storage location " + name, api::read_storage_location(object));
  return FoundLocation{.name = std::move(name), .object = std::move(object), .view = std::move(view)};
}

}  // namespace

Result<FoundLocation> Locations::find(const std::string& name, const std::stop_token& stop) const {
  if (name.empty()) return fail(Code::kNotFound, "no backup storage location is named");
  const kube::Resource locations(client_, api::kBackupStorageLocation.resource(), name_space_);
  TRY_ASSIGN(json::Json object, "", locations.get(name, stop));
  return as_found(std::move(object));
}

Result<std::vector<FoundLocation>> Locations::all(const std::stop_token& stop) const {
  const kube::Resource locations(client_, api::kBackupStorageLocation.resource(), name_space_);
  TRY_ASSIGN(kube::ObjectList list, "list backup storage locations", locations.list({}, stop));
  std::vector<FoundLocation> found;
  for (json::Json& object : list.items) {
    if (auto one = as_found(std::move(object))) found.push_back(*std::move(one));
  }
  return found;
}

Result<std::unique_ptr<location::OpenedLocation>> Locations::open(const FoundLocation& found,
                                                                  const std::stop_token& stop) const {
  return location::open_location(found.object, client_, world_, stop);
}

Result<std::unique_ptr<location::OpenedLocation>> Locations::open(const FoundLocation& found, const Logger& log,
                                                                  const std::stop_token& stop) const {
  return location::open_location(found.object, client_, world_logging_to(log), stop);
}

location::World Locations::world_logging_to(const Logger& log) const {
  location::World world = world_;
  world.operation_log = log;
  return world;
}

Result<location::OpenedSnapshotLocation> Locations::open_snapshots(const std::string& name, const Logger& log,
                                                                   const std::stop_token& stop) const {
  const kube::Resource locations(client_, api::kVolumeSnapshotLocation.resource(), name_space_);
  TRY_ASSIGN(const json::Json object, "volume snapshot location " + name, locations.get(name, stop));
  return location::open_snapshot_location(object, client_, world_logging_to(log), stop);
}

}  // namespace landfall::control
