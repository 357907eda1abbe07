#pragma once

#include "sandbox_world/workload_controller.h"

namespace landfall::sandbox {

// Keeps a ReplicaSet for the template of a Deployment and moves pods over from older ones, at the pace that the
// strategy allows.
class DeploymentController final : public WorkloadController {
 public:
  explicit DeploymentController(const Cluster& cluster)
      : WorkloadController(cluster, kinds().deployments, kinds().replica_sets) {}

 private:
  Status sync(const std::string& key, const json::Json& deployment, WorkQueue& queue) override;
  Result<json::Json> create_set(const json::Json& deployment, std::int64_t replicas) const;
  // Numbers the current set above the others; returns the number.
  Result<std::string> set_revision(const json::Json& current, const std::vector<json::Json>& others) const;
  Status scale(const json::Json& deployment, const json::Json& set, std::int64_t replicas) const;
  Status drop_history(const json::Json& deployment, std::vector<json::Json> others) const;
  Status set_status(const json::Json& deployment, const json::Json* current, const std::vector<json::Json>& others,
                    const std::string& revision) const;
};

}  // namespace landfall::sandbox
