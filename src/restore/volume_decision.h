#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "json/json_fwd.h"

namespace landfall::restore {

// What happens to a PersistentVolume.
enum class VolumeFate : std::uint8_t {
  kAsItIs,        // its object is restored, tied to its claim again
  kFromSnapshot,  // a volume is made of its snapshot
  kProvisioned,   // not restored: its claim gets a new one, which is then filled
};

struct VolumeDecision {
  VolumeFate fate = VolumeFate::kAsItIs;
  std::string_view why;  // for the log
};

// Decides from what the backup knows of its volumes: the volume information; for older backups without it the lists of
// snapshots and pod volume backups. Immutable.
class VolumeDecisions {
 public:
  // Null: the backup has none.
  VolumeDecisions(const json::Json* volume_infos, const json::Json* volume_snapshots,
                  const json::Json* csi_volume_snapshots, const std::vector<json::Json>* pod_volume_backups);

  VolumeDecision of(const json::Json& volume) const;
  // The volumes of a pod whose data the backup has, file by file; by the pod's names in the backup.
  std::vector<std::string> pod_volumes(const std::string& name_space, const std::string& pod) const;

  // A volume of a pod whose backup did not go well: what it has is not all, or nothing.
  struct Damaged {
    bool has_data = false;
    std::string why;
  };
  // By their names, as above.
  std::map<std::string, Damaged> damaged_pod_volumes(const std::string& name_space, const std::string& pod) const;

 private:
  VolumeDecision without_info(const json::Json& volume) const;
  void note_damaged(const std::vector<json::Json>& pod_volume_backups);

  std::map<std::string, std::string> methods_;                     // by PersistentVolume
  std::set<std::string> with_snapshot_;                            // PersistentVolumes
  std::set<std::string> with_pod_volume_;                          // claims: "shop/data"
  std::set<std::string> with_csi_snapshot_;                        // claims
  std::map<std::string, std::set<std::string>> pod_volumes_;       // by pod: "shop/db-0"
  std::map<std::string, std::map<std::string, Damaged>> damaged_;  // by pod, by volume
};

}  // namespace landfall::restore
