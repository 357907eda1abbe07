#pragma once

#include <string>

#include "json/json.h"
#include "volume_info/volume_info.h"

// From the objects that tell how a volume gets its data to its row of a restore. Pure; objects are taken as they come,
// with whatever is missing or odd.
namespace landfall::volume_info {

// A volume that was made of a snapshot by a volume snapshotter, and how far its bytes are.
struct RestoredNative {
  std::string original;       // the PersistentVolume in the backup
  k8s::NamespacedName claim;  // that it is tied to; may be empty
  NativeSnapshot snapshot;
  std::string result;  // of `volume_info::result`
  std::string message;
  std::string started;
  std::string completed;
};
RestoredVolume row_of_native(const RestoredNative& native, const std::string& volume);

// One that the agents have filled, or should have. The claim is the one that it names; it may be empty.
RestoredVolume row_of_pod_volume_restore(const json::Json& pod_volume_restore);

// A DataDownload, as Velero's and other data movers have them.
RestoredVolume row_of_data_download(const json::Json& data_download);

// The VolumeSnapshot that a claim is made of; empty when it is none.
std::string snapshot_of_claim(const json::Json& claim);
// `snapshot` may be null: it is not known. The row has no names yet.
RestoredVolume row_of_csi_snapshot(const json::Json* snapshot);

// What the live claim tells: the PersistentVolume when it is bound, and that a volume made of a snapshot is there.
void add_claim(RestoredVolume& row, const json::Json& claim, const std::string& now);

}  // namespace landfall::volume_info
