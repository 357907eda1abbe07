#pragma once

#include <optional>
#include <string>

#include "base/quantity.h"
#include "base/result.h"
#include "json/access.h"
#include "json/json_fwd.h"
#include "selection/includes_excludes.h"

namespace landfall::selection {

// What volume policies look at. A plain value.
struct VolumeFacts {
  struct Nfs {
    std::string server;
    std::string path;
  };
  struct Csi {
    std::string driver;
    json::StringMap attributes;
  };

  Quantity capacity;          // of the PersistentVolume; zero for a volume that a pod has without a claim
  std::string storage_class;  // of the PersistentVolume
  std::optional<Nfs> nfs;
  std::optional<Csi> csi;
  std::string type;  // "nfs", "csi", "emptyDir" …; empty when it is none of those that policies know
  json::StringMap claim_labels;
  std::string claim_phase;
  std::string claim_volume_mode;
  Names claim_access_modes;
};

// The names of all volume types.
const Names& known_volume_types();

// Reads the facts from what is known of a volume: a PersistentVolume with its claim, an entry of a pod's spec.volumes,
// or a claim without a volume. Each may be null, but not all. A volume goes before the pod's entry. kInvalid for a
// capacity that is no quantity.
Result<VolumeFacts> read_volume_facts(const json::Json* persistent_volume, const json::Json* pod_volume,
                                      const json::Json* claim);

}  // namespace landfall::selection
