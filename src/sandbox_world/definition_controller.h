#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "json/json_fwd.h"
#include "sandbox_world/cluster.h"
#include "sandbox_world/controller.h"

namespace landfall::sandbox {

// Makes the kinds of CustomResourceDefinitions served and established, and before a definition goes removes its
// objects.
class DefinitionController final : public Controller {
 public:
  // `follow` and `unfollow` are told which resources come and go.
  using Follow = std::function<void(const k8s::GroupResource&)>;
  DefinitionController(const Cluster& cluster, Follow follow, Follow unfollow)
      : cluster_(cluster.as("kube-apiserver")), follow_(std::move(follow)), unfollow_(std::move(unfollow)) {}

  std::string_view name() const override { return "definitions"; }
  bool follows(const k8s::GroupResource& resource) const override;
  void observe(const k8s::GroupResource& resource, const Change& change, WorkQueue& queue) override;
  Status reconcile(const std::string& key, WorkQueue& queue) override;

 private:
  struct Served {
    std::string uid;
    std::int64_t generation = 0;
    KindInfo kind;  // one of its versions
  };

  Status establish(const std::string& name, const json::Json& definition);
  std::string conflict_of(const std::string& name, const json::Json& definition) const;
  // True when none is left.
  Result<bool> remove_objects(const KindInfo& kind, bool by_force) const;
  Status end(const std::string& name, const json::Json& definition, WorkQueue& queue);
  void withdraw(const std::string& name);

  Cluster cluster_;
  const Follow follow_;
  const Follow unfollow_;
  std::map<std::string, Served> served_;
  std::map<k8s::GroupResource, std::string> by_resource_;  // to the name of the definition
};

}  // namespace landfall::sandbox
