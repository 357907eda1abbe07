#pragma once

#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "api/names.h"
#include "control/backup_cleanup.h"
#include "control/context.h"
#include "control/snapshotters.h"

namespace landfall::control {

// A snapshot, and the VolumeSnapshotLocation that it is in.
struct PlacedSnapshot {
  std::string location;
  std::string snapshot;
  auto operator<=>(const PlacedSnapshot&) const = default;
};

// Of a VolumePluginBackup of a backup, if it says which it is. Anybody can write into one: it is believed only about
// the snapshot that it is named after, or one whose ID can be no name.
void add_snapshot_of(const json::Json& resource, const json::Json& backup, std::set<PlacedSnapshot>& snapshots);

// Whether a plugin has made a VolumePluginBackup for this backup that the server did not live to mark as such.
bool is_left_unmarked(const json::Json& resource, const json::Json& backup);
// Whether a VolumePluginBackup of this cluster belongs to this backup, marked as such or not.
bool is_of_backup(const json::Json& resource, const json::Json& backup);
// The location of the backup whose plugin it is of; empty when there is none.
std::string location_of(const json::Json& resource, const json::Json& backup, Snapshotters& snapshotters,
                        const std::stop_token& stop);

// All of them are tried; the error names those that are left, with the reason of the first. One that is gone already is
// no error.
Status delete_snapshots(Snapshotters& snapshotters, const std::set<PlacedSnapshot>& snapshots,
                        const std::stop_token& stop);

// VolumePluginBackups or -Restores, those that are gone by now left aside.
Status remove_resources(const Context& context, const api::Kind& kind, const std::vector<json::Json>& resources,
                        const std::stop_token& stop);

// Deletes all snapshots of a backup: those that are known, and those that VolumePluginBackups of this cluster name,
// which then go as well.
Status delete_known_snapshots(const Context& context, Snapshotters& snapshotters, const json::Json& backup,
                              std::set<PlacedSnapshot> known, const std::stop_token& stop);
// The same with those that its files name.
Status delete_snapshots_of(const Context& context, Snapshotters& snapshotters, const json::Json& backup,
                           bucket::BackupStore& store, const std::stop_token& stop);

// The snapshots of volume snapshotters go with their backup.
class SnapshotCleanup final : public BackupCleanup {
 public:
  explicit SnapshotCleanup(const Context& context) : context_(context) {}

  std::string name() const override { return "volume snapshots"; }
  bool handles(VolumeData data) const override {
    return data == VolumeData::kNativeSnapshots || data == VolumeData::kPluginSnapshots;
  }
  // That the plugin of every snapshot can be asked.
  Status check(const json::Json& backup, bucket::BackupStore& store, const std::stop_token& stop) override;
  Status clean(const json::Json& backup, bucket::BackupStore& store, const std::stop_token& stop) override;

 private:
  const Context& context_;
};

}  // namespace landfall::control
