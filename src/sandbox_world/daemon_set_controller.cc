#include "sandbox_world/daemon_set_controller.h"

#include <algorithm>

#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "sandbox_world/node_controller.h"
#include "sandbox_world/revision.h"

namespace landfall::sandbox {
namespace {

using json::Json;

constexpr const char* kHashLabel = "controller-revision-hash";

bool has_hash(const Json& pod, const std::string& hash) {
  return k8s::ObjectView(pod).labels().get(kHashLabel) == std::string_view(hash);
}

}  // namespace

bool DaemonSetController::is_wanted(const Json& set) const {
  const auto wanted = json::string_map_at(set, {"spec", "template", "spec", "nodeSelector"});
  const auto node = cluster().get(kinds().nodes, "", kNodeName);
  if (!wanted || !node) return false;
  const k8s::StringMapView labels = k8s::ObjectView(*node).labels();
  return std::all_of(wanted->begin(), wanted->end(),
                     [&](const auto& entry) { return labels.get(entry.first) == std::string_view(entry.second); });
}

Status DaemonSetController::sync(const std::string& key, const Json& set, WorkQueue& queue) {
  TRY_ASSIGN(const std::vector<Json> all, "", children(set));
  TRY_ASSIGN(const Revision revision, "", ensure_revision(cluster(), kind(), set));
  const std::int64_t wanted = is_wanted(set) ? 1 : 0;
  const bool rolls = json::string_or(set, {"spec", "updateStrategy", "type"}, "RollingUpdate") == "RollingUpdate";
  std::vector<Json> pods;
  for (const Json& pod : all) {
    const bool is_old = rolls && !has_hash(pod, revision.hash);
    const bool is_extra = static_cast<std::int64_t>(pods.size()) >= wanted;
    if (k8s::ObjectView(pod).is_being_deleted()) continue;
    if (!is_active(pod) || is_old || is_extra) {
      TRY("remove a pod", cluster().remove(kinds().pods, pod));
    } else {
      pods.push_back(pod);
    }
  }
  // One after the other: the old pod leaves the node before the new one comes.
  const bool is_clear =
      std::none_of(all.begin(), all.end(), [](const Json& pod) { return k8s::ObjectView(pod).is_being_deleted(); });
  if (pods.empty() && wanted == 1 && is_clear) {
    Json pod = pod_from_template(set);
    pod["metadata"]["generateName"] = std::string(k8s::ObjectView(set).name()) + "-";
    pod["metadata"]["labels"][kHashLabel] = revision.hash;
    TRY("", create_pod(set, std::move(pod)));
  }
  const PodCounts counts = count_pods(pods, set, cluster().api().clock().wall_now());
  if (counts.available < counts.ready) queue.add_after(key, std::chrono::seconds(1));
  const std::int64_t updated =
      std::count_if(pods.begin(), pods.end(), [&](const Json& pod) { return has_hash(pod, revision.hash); });
  return cluster().modify_status(kind(), set, [&](Json& live) -> Status {
    Json& status = live["status"];
    status["currentNumberScheduled"] = pods.size();
    status["desiredNumberScheduled"] = wanted;
    status["numberMisscheduled"] = 0;
    status["numberReady"] = counts.ready;
    put_count(status, "updatedNumberScheduled", updated);
    put_count(status, "numberAvailable", counts.available);
    put_count(status, "numberUnavailable", wanted - counts.available);
    status["observedGeneration"] = json::int_or(set, {"metadata", "generation"}, 0);
    return {};
  });
}

}  // namespace landfall::sandbox
