#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "json/json.h"
#include "volume_info/handled_object.h"
#include "volume_info/volume_info.h"

// Why a claim that was restored has got no data. Pure.
namespace landfall::volume_info {

// What a backup has of its claims: by its volume information; where an older one has none by its PodVolumeBackups and
// VolumeSnapshots.
class BackedUpClaims {
 public:
  // Null: the backup has none.
  BackedUpClaims(const json::Json* volume_infos, const std::vector<json::Json>* pod_volume_backups,
                 const json::Json* csi_volume_snapshots = nullptr);
  // Null when the backup says nothing of it.
  const BackedUpVolume* of(const k8s::NamespacedName& claim) const;

 private:
  void add(BackedUpVolume row);

  std::map<k8s::NamespacedName, BackedUpVolume> rows_;
};

// Whether the data is in the backup, all of it or some.
bool has_data(const BackedUpVolume& volume);

// What was asked of the restore.
struct RestoreWish {
  bool restores_volumes = true;  // spec.restorePVs
  bool fills_pod_volumes = true;
  bool has_csi = false;     // the server takes CSI snapshots back
  bool is_cut_off = false;  // it was canceled before its end
};

struct WithoutData {
  std::string result;
  std::string message;
  // How loud it is to be said: nobody is to take an empty volume for a restored one.
  enum class Say : std::uint8_t { kNothing, kWarning, kError } say = Say::kNothing;
};

// `backup` may be null. `volume` is the claim's PersistentVolume where the restore has handled it, else null.
WithoutData why_without_data(const HandledObject& claim, const BackedUpVolume* backup, const HandledObject* volume,
                             const RestoreWish& wish);

}  // namespace landfall::volume_info
