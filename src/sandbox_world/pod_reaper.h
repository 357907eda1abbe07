#pragma once

#include <string>

#include "sandbox_world/cluster.h"
#include "sandbox_world/controller.h"

namespace landfall::sandbox {

// Without nodes nobody ends the pods that were told to go: this removes them, as a cluster does for nodes it has lost.
class PodReaper final : public Controller {
 public:
  explicit PodReaper(const Cluster& cluster) : cluster_(cluster) {}

  std::string_view name() const override { return "pod-reaper"; }
  bool follows(const k8s::GroupResource& resource) const override { return resource == kinds().pods.storage; }
  void observe(const k8s::GroupResource&, const Change& change, WorkQueue& queue) override {
    if (change.type != ChangeType::kDeleted && change.object->is_deleting) queue.add(change.object->key);
  }
  Status reconcile(const std::string& key, WorkQueue& queue) override;

 private:
  Cluster cluster_;
};

}  // namespace landfall::sandbox
