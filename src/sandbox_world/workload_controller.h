#pragma once

#include <string>
#include <vector>

#include "json/json_fwd.h"
#include "sandbox_world/cluster.h"
#include "sandbox_world/controller.h"

namespace landfall::sandbox {

// What controllers of workloads have in common: an object says what there should be, and children of one kind are made
// or removed until it is so. Whatever happens to a child leads back to its owner.
class WorkloadController : public Controller {
 public:
  WorkloadController(const Cluster& cluster, const KindInfo& kind, const KindInfo& child)
      : cluster_(cluster.as("kube-controller-manager")), kind_(kind), child_(child) {}

  std::string_view name() const override { return kind_.id.resource; }
  bool follows(const k8s::GroupResource& resource) const override;
  void observe(const k8s::GroupResource& resource, const Change& change, WorkQueue& queue) override;
  Status reconcile(const std::string& key, WorkQueue& queue) override;

 protected:
  // For an object that stays; its namespace stays, too.
  virtual Status sync(const std::string& key, const json::Json& object, WorkQueue& queue) = 0;

  const Cluster& cluster() const { return cluster_; }
  const KindInfo& kind() const { return kind_; }
  // The children: those it controls, and those that match its selector and that nobody controls, which it takes over (a
  // restore brings them back without their owners).
  Result<std::vector<json::Json>> children(const json::Json& object) const;
  // Makes a pod from the object's template.
  Status create_pod(const json::Json& object, json::Json pod) const;

 private:
  Cluster cluster_;
  const KindInfo& kind_;
  const KindInfo& child_;
};

// A pod as the template describes it: labels, annotations, spec. The caller gives it a name.
json::Json pod_from_template(const json::Json& object);

bool is_active(const json::Json& pod);  // neither finished nor told to go
bool is_ready(const json::Json& pod);

struct PodCounts {
  std::int64_t ready = 0;
  std::int64_t available = 0;  // ready for minReadySeconds
};
PodCounts count_pods(const std::vector<json::Json>& pods, const json::Json& object, WallTime now);

// Sets a number in a status, or leaves it out when it is 0 as the real types do.
void put_count(json::Json& status, const char* field, std::int64_t count);
// A number or a percentage of the total.
std::int64_t scaled(const json::Json* value, std::int64_t total, bool round_up);
// Ten letters and digits that stand for a template.
std::string template_hash(const json::Json& pod_template);
// Whether two templates describe the same pods; labels that controllers add do not count.
bool is_same_template(json::Json a, json::Json b);

}  // namespace landfall::sandbox
