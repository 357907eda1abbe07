#pragma once

#include <string>

#include "sandbox_world/cluster.h"
#include "sandbox_world/controller.h"
#include "sandbox_world/volume_directories.h"

namespace landfall::sandbox {

// The name of the one node.
inline constexpr std::string_view kNodeName = "localhost";
// On the node: the folder with the directories of pods and volumes.
inline constexpr std::string_view kDataAnnotation = "landfall-sandbox/data-directory";
// The provisioner of the default StorageClass.
inline constexpr std::string_view kProvisioner = "landfall-sandbox/directory";
inline constexpr std::string_view kDefaultClass = "standard";

// Keeps what a cluster's administrator would have set up: one node that is ready, and a default StorageClass. The class
// is made once: who deletes it does not want it.
class NodeController final : public Controller {
 public:
  NodeController(const Cluster& cluster, VolumeDirectories directories)
      : cluster_(cluster.as("kubelet")), directories_(std::move(directories)) {}

  std::string_view name() const override { return "node"; }
  bool follows(const k8s::GroupResource& resource) const override { return resource == kinds().nodes.storage; }
  void start(WorkQueue& queue) override;
  void observe(const k8s::GroupResource& resource, const Change& change, WorkQueue& queue) override;
  Status reconcile(const std::string& key, WorkQueue& queue) override;

 private:
  Status ensure_node() const;
  Status ensure_class() const;

  Cluster cluster_;
  VolumeDirectories directories_;
};

}  // namespace landfall::sandbox
