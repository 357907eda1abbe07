#pragma once

#include "sandbox_world/workload_controller.h"

namespace landfall::sandbox {

// Keeps one pod of a DaemonSet, on the one node, if its node selector allows.
class DaemonSetController final : public WorkloadController {
 public:
  explicit DaemonSetController(const Cluster& cluster)
      : WorkloadController(cluster, kinds().daemon_sets, kinds().pods) {}

 private:
  Status sync(const std::string& key, const json::Json& set, WorkQueue& queue) override;
  bool is_wanted(const json::Json& set) const;
};

}  // namespace landfall::sandbox
