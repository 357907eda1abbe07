#pragma once

#include "sandbox_world/workload_controller.h"

namespace landfall::sandbox {

// Keeps as many pods as a ReplicaSet asks for.
class ReplicaSetController final : public WorkloadController {
 public:
  explicit ReplicaSetController(const Cluster& cluster)
      : WorkloadController(cluster, kinds().replica_sets, kinds().pods) {}

 private:
  Status sync(const std::string& key, const json::Json& set, WorkQueue& queue) override;
  Status set_status(const json::Json& set, const std::vector<json::Json>& pods, WorkQueue& queue,
                    const std::string& key) const;
};

}  // namespace landfall::sandbox
