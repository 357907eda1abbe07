#pragma once

#include <set>
#include <string>

#include "json/json_fwd.h"
#include "sandbox_world/cluster.h"
#include "sandbox_world/controller.h"

namespace landfall::sandbox {

// Puts pods on the one node as soon as their claims are bound. Resources, selectors and affinity are not looked at.
class PodScheduler final : public Controller {
 public:
  explicit PodScheduler(const Cluster& cluster) : cluster_(cluster.as("kube-scheduler")) {}

  std::string_view name() const override { return "scheduler"; }
  bool follows(const k8s::GroupResource& resource) const override;
  void observe(const k8s::GroupResource& resource, const Change& change, WorkQueue& queue) override;
  Status reconcile(const std::string& key, WorkQueue& queue) override;

 private:
  // Why it cannot be placed; empty: it can.
  std::string obstacle(const json::Json& pod) const;

  Cluster cluster_;
  std::set<std::string> unplaced_;
};

}  // namespace landfall::sandbox
