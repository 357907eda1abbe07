#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "extension/volume_snapshotter.h"
#include "json/json.h"
#include "volume_info/volume_info.h"

// Snapshots of volume snapshotters as the files of a backup and of a restore tell of them. Pure.
namespace landfall::control {

// Where a PersistentVolume is, as Velero finds it: a label, or what its node affinity says; empty where nothing does.
std::string zone_of(const json::Json& volume);

struct SnapshotFacts {
  std::string location;
  std::string volume_id;
  std::string zone;
  extension::VolumeTraits traits;
  std::string snapshot;  // empty: it has failed
};
// An entry of `NAME-volumesnapshots.json.gz`.
json::Json snapshot_record(const json::Json& backup, const json::Json& volume, const SnapshotFacts& facts);
// And back; texts that are missing are empty.
SnapshotFacts facts_of(const json::Json& record);
// And as a row of volume information has it.
volume_info::NativeSnapshot native_info(const SnapshotFacts& facts, std::string_view phase);
std::string volume_of_record(const json::Json& record);
bool is_completed(const json::Json& record);
void set_failed(json::Json& record);

// Puts the entries into the rows of `NAME-volumeinfo.json.gz`: the row of such a volume says so, and no longer why it
// was skipped. One that could not be taken has no row yet, since it is not in the backup: it gets one, as in Velero.
struct TakenSnapshot {
  json::Json record;
  json::Json volume;  // the PersistentVolume
  WallTime started;
};
void add_snapshots(json::Json& rows, const std::vector<TakenSnapshot>& taken);
// A snapshot has turned out to have failed, or has come to its end.
void set_row_result(json::Json& rows, const json::Json& record, WallTime completed);

}  // namespace landfall::control
