#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/backup.h"
#include "base/result.h"
#include "json/json_fwd.h"
#include "selection/resource_policies.h"

// Which volumes are backed up, and how: Velero's decision tables.
namespace landfall::backup {

// What a backup says about volumes. Borrows.
struct VolumeRules {
  const selection::VolumePolicies* policies = nullptr;  // may be null
  bool fs_backup_by_default = false;
  bool takes_snapshots = true;
  bool takes_claims = true;  // PersistentVolumeClaims are in by the filters
};

// One entry of a pod's spec.volumes.
struct VolumeChoice {
  std::string volume;
  std::string claim;  // of the pod's namespace; empty for a volume without one
  bool fs_backup = false;
  std::string why_not;      // when it is not
  bool is_refused = false;  // it was asked for and cannot be done: worth a warning
};

// Finds a claim of a namespace and the PersistentVolume behind it, both of which may be missing (null).
struct FoundClaim {
  std::shared_ptr<const json::Json> claim;
  std::shared_ptr<const json::Json> volume;
};
using FindClaim = std::function<Result<FoundClaim>(const std::string& name_space, const std::string& claim)>;

// The volumes of a pod in their order; what can never be copied from a pod (secrets, host paths …) is left out. Refused
// are, as by Velero, block devices, what no container mounts, and claims whose volume is a path of the host.
Result<std::vector<VolumeChoice>> choose_pod_volumes(const json::Json& pod, const VolumeRules& rules,
                                                     const FindClaim& find);

// Whether a snapshot of a PersistentVolume is wanted; the text says why not. `claim` may be null.
struct SnapshotChoice {
  bool is_wanted = false;
  bool is_by_policy = false;  // a volume policy asks for it
  std::string why_not;
};
Result<SnapshotChoice> choose_snapshot(const json::Json& volume, const json::Json* claim, const VolumeRules& rules);

}  // namespace landfall::backup
