#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.h"
#include "base/result.h"
#include "json/access.h"
#include "json/json_fwd.h"
#include "selection/includes_excludes.h"
#include "selection/volume_facts.h"

namespace landfall::selection {

enum class VolumeAction {
  kSkip,
  kFsBackup,
  kSnapshot,
  kCustom,  // neither: a plugin takes care of the volume
};
std::string_view to_string(VolumeAction action);  // "fs-backup"
std::optional<VolumeAction> parse_volume_action(std::string_view text);

// "10Gi,100Gi": both ends belong to it, and an end that is empty or zero is no limit.
struct CapacityRange {
  std::optional<Quantity> lower;
  std::optional<Quantity> upper;

  static Result<CapacityRange> parse(std::string_view text);
  bool contains(const Quantity& capacity) const;
};

// What must be true of a volume. All that is given must hold; what is empty restricts nothing. A plain value.
struct VolumeConditions {
  // Empty fields restrict nothing: {} is any NFS volume.
  struct Nfs {
    std::string server;
    std::string path;
  };
  // An empty driver is any CSI volume; attributes may be given only with a driver.
  struct Csi {
    std::string driver;
    json::StringMap attributes;
  };

  CapacityRange capacity;
  Names storage_classes;
  std::optional<Nfs> nfs;
  std::optional<Csi> csi;
  Names types;
  json::StringMap claim_labels;
  Names claim_phases;
  std::string claim_volume_mode;
  Names claim_access_modes;  // exactly these, in any order

  bool match(const VolumeFacts& volume) const;
};

struct VolumePolicy {
  VolumeConditions conditions;
  VolumeAction action = VolumeAction::kSkip;
  std::shared_ptr<const json::Json> parameters;  // an object, or null; for plugins
  std::string origin;                            // `volumePolicies[2]`, with whose they are: for reasons and logs
};

// The volume policies of a backup, and after them those that hold for all backups. A plain value.
class VolumePolicies {
 public:
  VolumePolicies() = default;
  explicit VolumePolicies(std::vector<VolumePolicy> policies) : policies_(std::move(policies)) {}

  // The first that matches; null when none does, which leaves the decision to the other settings of the backup.
  const VolumePolicy* match(const VolumeFacts& volume) const;

  // The global ones come last, so that a backup can override them for some volumes.
  void append(const VolumePolicies& global);

  bool empty() const { return policies_.empty(); }
  const std::vector<VolumePolicy>& policies() const { return policies_; }

 private:
  std::vector<VolumePolicy> policies_;
};

}  // namespace landfall::selection
