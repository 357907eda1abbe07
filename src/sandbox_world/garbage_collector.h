#pragma once

#include <map>
#include <string>

#include "json/json_fwd.h"
#include "sandbox_world/cluster.h"
#include "sandbox_world/controller.h"
#include "sandbox_world/owner_index.h"

namespace landfall::sandbox {

// Removes objects whose owners are all gone, makes a foreground deletion wait for the dependents that block it, and
// turns dependents loose where orphaning was asked for.
class GarbageCollector final : public Controller {
 public:
  explicit GarbageCollector(const Cluster& cluster) : cluster_(cluster.as("kube-controller-manager")) {}

  std::string_view name() const override { return "garbage-collector"; }
  bool follows(const k8s::GroupResource&) const override { return true; }
  void observe(const k8s::GroupResource& resource, const Change& change, WorkQueue& queue) override;
  void forget(const k8s::GroupResource& resource) override;
  Status reconcile(const std::string& key, WorkQueue& queue) override;

 private:
  enum class OwnerState {
    kThere,
    kGone,
    kWaiting,  // marked, and waits for its dependents
  };

  OwnerState look_up(const Dependent& dependent, const Owner& owner) const;
  void observe_state(const k8s::GroupResource& resource, const StoredObject& object, WorkQueue& queue);
  void wake_owners(const std::string& uid, WorkQueue& queue) const;
  Status collect(const std::string& uid);
  Status drop_owners(const KindInfo& kind, const json::Json& object, const std::vector<std::string>& uids) const;
  Status finish_owner(const std::string& uid, WorkQueue& queue);
  Status orphan_dependents(const std::string& uid) const;
  KindPtr kind_of(const k8s::GroupResource& resource) const;

  Cluster cluster_;
  OwnerIndex index_;
  std::map<std::string, ObjectId> ending_;  // marked, with a finalizer that is ours to take away
};

}  // namespace landfall::sandbox
