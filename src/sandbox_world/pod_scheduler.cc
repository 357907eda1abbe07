#include "sandbox_world/pod_scheduler.h"

#include <fmt/format.h>

#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "sandbox_world/node_controller.h"

namespace landfall::sandbox {
namespace {

using json::Json;

bool is_for_us(const Json& pod) {
  const Json* gates = json::find(pod, {"spec", "schedulingGates"});
  return json::string_or(pod, {"spec", "nodeName"}, "").empty() && !k8s::ObjectView(pod).is_being_deleted() &&
         json::string_or(pod, {"spec", "schedulerName"}, "default-scheduler") == "default-scheduler" &&
         (gates == nullptr || gates->empty());
}

}  // namespace

bool PodScheduler::follows(const k8s::GroupResource& resource) const {
  return resource == kinds().pods.storage || resource == kinds().claims.storage;
}

void PodScheduler::observe(const k8s::GroupResource& resource, const Change& change, WorkQueue& queue) {
  const StoredObject& object = *change.object;
  if (resource == kinds().claims.storage) {
    for (const std::string& key : unplaced_) {
      if (split_key(key).first == object.name_space()) queue.add(key);
    }
    return;
  }
  const bool is_unplaced = change.type != ChangeType::kDeleted && !object.is_deleting &&
                           object.bytes.find("\"nodeName\":\"") == std::string::npos;
  if (!is_unplaced) {
    unplaced_.erase(object.key);
    return;
  }
  unplaced_.insert(object.key);
  queue.add(object.key);
}

std::string PodScheduler::obstacle(const Json& pod) const {
  const Json* volumes = json::find(pod, {"spec", "volumes"});
  if (volumes == nullptr || !volumes->is_array()) return {};
  for (const Json& volume : *volumes) {
    const std::string name = json::string_or(volume, {"persistentVolumeClaim", "claimName"}, "");
    if (name.empty()) continue;
    const auto claim = cluster_.get(kinds().claims, k8s::ObjectView(pod).name_space(), name);
    if (!claim) return fmt::format("persistentvolumeclaim \"{}\" not found", name);
    if (json::string_or(*claim, {"status", "phase"}, "") != "Bound") {
      return "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.";
    }
  }
  return {};
}

Status PodScheduler::reconcile(const std::string& key, WorkQueue&) {
  const auto [name_space, name] = split_key(key);
  const std::optional<Json> pod = cluster_.get(kinds().pods, name_space, name);
  if (!pod || !is_for_us(*pod)) return {};
  const std::string now = cluster_.now_text();
  const std::string why = obstacle(*pod);
  return cluster_.rewrite(kinds().pods, *pod, [&](Json& live) -> Status {
    set_condition(live, "PodScheduled", why.empty(), why.empty() ? "" : "Unschedulable", why, now);
    if (why.empty()) live["spec"]["nodeName"] = kNodeName;
    return {};
  });
}

}  // namespace landfall::sandbox
