#pragma once

#include <set>
#include <string>

#include "json/json_fwd.h"
#include "sandbox_world/cluster.h"
#include "sandbox_world/controller.h"

namespace landfall::sandbox {

// Gives each namespace its default service account and the certificate of the cluster, and empties those that are to
// go.
class NamespaceController final : public Controller {
 public:
  NamespaceController(const Cluster& cluster, std::string ca_pem)
      : cluster_(cluster.as("kube-controller-manager")), ca_pem_(std::move(ca_pem)) {}

  std::string_view name() const override { return "namespaces"; }
  bool follows(const k8s::GroupResource&) const override { return true; }
  void observe(const k8s::GroupResource& resource, const Change& change, WorkQueue& queue) override;
  Status reconcile(const std::string& key, WorkQueue& queue) override;

 private:
  Status furnish(const std::string& name) const;
  Status empty(const json::Json& name_space, WorkQueue& queue) const;

  Cluster cluster_;
  const std::string ca_pem_;
  std::set<std::string, std::less<>> ending_;
};

}  // namespace landfall::sandbox
