#include "sandbox_world/replica_set_controller.h"

#include <algorithm>

#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::sandbox {
namespace {

using json::Json;

constexpr std::int64_t kBatch = 200;  // pods made or removed before others get their turn

// Those that go first: not placed, not ready, young.
bool goes_before(const Json& a, const Json& b) {
  const auto rank = [](const Json& pod) {
    if (json::string_or(pod, {"spec", "nodeName"}, "").empty()) return 0;
    return is_ready(pod) ? 2 : 1;
  };
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  return json::string_or(a, {"metadata", "creationTimestamp"}, "") >
         json::string_or(b, {"metadata", "creationTimestamp"}, "");
}

}  // namespace

Status ReplicaSetController::sync(const std::string& key, const Json& set, WorkQueue& queue) {
  TRY_ASSIGN(std::vector<Json> pods, "", children(set));
  std::erase_if(pods, [](const Json& pod) { return !is_active(pod); });
  const std::int64_t wanted = json::int_or(set, {"spec", "replicas"}, 1);
  const auto have = static_cast<std::int64_t>(pods.size());
  for (std::int64_t i = 0; i < std::min(wanted - have, kBatch); ++i) {
    Json pod = pod_from_template(set);
    pod["metadata"]["generateName"] = std::string(k8s::ObjectView(set).name()) + "-";
    TRY("", create_pod(set, std::move(pod)));
  }
  if (have > wanted) {
    std::stable_sort(pods.begin(), pods.end(), goes_before);
    const std::int64_t extra = std::min(have - wanted, kBatch);
    for (std::int64_t i = 0; i < extra; ++i) {
      TRY("remove a pod", cluster().remove(kinds().pods, pods[static_cast<std::size_t>(i)]));
    }
    pods.erase(pods.begin(), pods.begin() + extra);
  }
  if (wanted - have > kBatch || have - wanted > kBatch) queue.add(key);
  return set_status(set, pods, queue, key);
}

Status ReplicaSetController::set_status(const Json& set, const std::vector<Json>& pods, WorkQueue& queue,
                                        const std::string& key) const {
  const PodCounts counts = count_pods(pods, set, cluster().api().clock().wall_now());
  if (counts.available < counts.ready) queue.add_after(key, std::chrono::seconds(1));
  return cluster().modify_status(kind(), set, [&](Json& live) -> Status {
    Json& status = live["status"];
    status["replicas"] = pods.size();
    put_count(status, "fullyLabeledReplicas", static_cast<std::int64_t>(pods.size()));
    put_count(status, "readyReplicas", counts.ready);
    put_count(status, "availableReplicas", counts.available);
    status["observedGeneration"] = json::int_or(set, {"metadata", "generation"}, 0);
    return {};
  });
}

}  // namespace landfall::sandbox
