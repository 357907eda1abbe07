#pragma once

#include <cstdint>
#include <string>

#include "json/json_fwd.h"
#include "sandbox_world/cluster.h"
#include "sandbox_world/controller.h"
#include "sandbox_world/volume_directories.h"

namespace landfall::sandbox {

// The kubelet of the one node, without containers: pods get their directories, run as far as anyone can tell, and go
// when they are told to, a second later at most. Pods of Jobs succeed, all others run on.
class PodRunner final : public Controller {
 public:
  PodRunner(const Cluster& cluster, VolumeDirectories directories)
      : cluster_(cluster.as("kubelet")), directories_(std::move(directories)) {}

  std::string_view name() const override { return "kubelet"; }
  bool follows(const k8s::GroupResource& resource) const override { return resource == kinds().pods.storage; }
  void start(WorkQueue& queue) override;
  void observe(const k8s::GroupResource& resource, const Change& change, WorkQueue& queue) override;
  Status reconcile(const std::string& key, WorkQueue& queue) override;

 private:
  Status run(const std::string& key, const json::Json& pod, WorkQueue& queue);
  Status end(const std::string& key, const json::Json& pod, WorkQueue& queue) const;
  Status sweep() const;
  std::string next_address();

  Cluster cluster_;
  VolumeDirectories directories_;
  std::uint32_t addresses_ = 1;  // handed out, or seen in use
};

}  // namespace landfall::sandbox
