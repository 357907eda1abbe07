#pragma once

#include "sandbox_world/workload_controller.h"

namespace landfall::sandbox {

// Runs the pods of a Job until enough of them have succeeded. Pods never fail here, so that retries, deadlines, indexes
// and time to live are not looked at.
class JobController final : public WorkloadController {
 public:
  explicit JobController(const Cluster& cluster) : WorkloadController(cluster, kinds().jobs, kinds().pods) {}

 private:
  Status sync(const std::string& key, const json::Json& job, WorkQueue& queue) override;
};

}  // namespace landfall::sandbox
