#pragma once

#include <map>
#include <string>

#include "sandbox_world/workload_controller.h"

namespace landfall::sandbox {

// Keeps the numbered pods of a StatefulSet and their claims. Claims outlive the set, whatever its retention policy
// says.
class StatefulSetController final : public WorkloadController {
 public:
  explicit StatefulSetController(const Cluster& cluster)
      : WorkloadController(cluster, kinds().stateful_sets, kinds().pods) {}

 private:
  using Pods = std::map<std::int64_t, json::Json>;

  Status sync(const std::string& key, const json::Json& set, WorkQueue& queue) override;
  // One pass over the pods; each stops where it has to wait for a pod.
  Status bring_up(const json::Json& set, const Pods& pods, const std::string& revision) const;
  Status bring_down(const json::Json& set, const Pods& pods) const;
  Status update(const json::Json& set, const Pods& pods, const std::string& revision) const;
  Status create_claims(const json::Json& set, const json::Json& pod) const;
  Status set_status(const json::Json& set, const Pods& pods, const std::string& revision, WorkQueue& queue,
                    const std::string& key) const;
};

}  // namespace landfall::sandbox
