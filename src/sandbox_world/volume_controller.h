#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "json/json_fwd.h"
#include "sandbox_world/cluster.h"
#include "sandbox_world/controller.h"
#include "sandbox_world/volume_directories.h"

namespace landfall::sandbox {

// The phases of PersistentVolumes, and what becomes of one whose claim has gone: by its policy it stays with its bytes,
// or goes with its directory. Only what the sandbox provisioned itself is ever removed from the disk.
class VolumeController final : public Controller {
 public:
  VolumeController(const Cluster& cluster, VolumeDirectories directories)
      : cluster_(cluster), directories_(std::move(directories)) {}

  std::string_view name() const override { return "volumes"; }
  bool follows(const k8s::GroupResource& resource) const override;
  void observe(const k8s::GroupResource& resource, const Change& change, WorkQueue& queue) override;
  Status reconcile(const std::string& key, WorkQueue& queue) override;

 private:
  enum class ClaimState { kNone, kExpected, kBound, kGone };

  ClaimState claim_of(const json::Json& volume) const;
  Status set_phase(const json::Json& volume, std::string_view phase) const;
  Status sweep(const std::string& name);

  Cluster cluster_;
  VolumeDirectories directories_;
  std::map<std::string, std::filesystem::path> gone_;  // deleted, with a directory that is to go as well
};

}  // namespace landfall::sandbox
