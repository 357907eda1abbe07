#pragma once

#include <optional>
#include <set>
#include <string>

#include "json/json_fwd.h"
#include "sandbox_world/cluster.h"
#include "sandbox_world/controller.h"
#include "sandbox_world/volume_directories.h"

namespace landfall::sandbox {

// Binds claims to volumes: to the one that is meant for them, to one that fits, or to a new one where their class is
// provisioned by the sandbox. All classes bind at once, those that would wait for a pod too.
class ClaimController final : public Controller {
 public:
  ClaimController(const Cluster& cluster, VolumeDirectories directories)
      : cluster_(cluster), directories_(std::move(directories)) {}

  std::string_view name() const override { return "claims"; }
  bool follows(const k8s::GroupResource& resource) const override;
  void observe(const k8s::GroupResource& resource, const Change& change, WorkQueue& queue) override;
  Status reconcile(const std::string& key, WorkQueue& queue) override;

 private:
  Status release(const json::Json& claim) const;
  Status keep_bound(const json::Json& claim, const std::string& volume_name) const;
  Status find_volume(json::Json claim) const;
  Status bind(const json::Json& claim, const json::Json& volume) const;
  Status set_phase(const json::Json& claim, std::string_view phase) const;
  Result<json::Json> with_class(json::Json claim) const;
  Result<json::Json> provision(const json::Json& claim, const json::Json& storage_class) const;

  Cluster cluster_;
  VolumeDirectories directories_;
  std::set<std::string> open_;  // claims that may have to be looked at when something else changes
};

}  // namespace landfall::sandbox
