#include "sandbox_world/pod_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/rfc3339.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "sandbox_world/node_controller.h"
#include "sandbox_world/pod_status.h"
#include "sandbox_world/pod_volumes.h"

namespace landfall::sandbox {
namespace {

using json::Json;

// Keys: what is to be done, and to which pod.
constexpr char kPod = 'p';        // the pod of this key
constexpr char kDirectory = 'd';  // the directory of this uid
constexpr char kSweep = 's';

constexpr Duration kLookAgain = std::chrono::seconds(1);
constexpr std::int64_t kMostGrace = 1;  // seconds; our containers have nothing to finish
constexpr std::uint32_t kAddresses = 250 * 250;

}  // namespace

void PodRunner::start(WorkQueue& queue) { queue.add(std::string(1, kSweep)); }

void PodRunner::observe(const k8s::GroupResource&, const Change& change, WorkQueue& queue) {
  const StoredObject& object = *change.object;
  if (change.type == ChangeType::kDeleted) {
    queue.add(kDirectory + object.uid);
  } else {
    queue.add(kPod + object.key);
  }
}

Status PodRunner::reconcile(const std::string& key, WorkQueue& queue) {
  if (key[0] == kSweep) return sweep();
  if (key[0] == kDirectory) return directories_.remove_pod(key.substr(1));
  const auto [name_space, name] = split_key(std::string_view(key).substr(1));
  const std::optional<Json> pod = cluster_.get(kinds().pods, name_space, name);
  if (!pod) return {};
  const std::string node = json::string_or(*pod, {"spec", "nodeName"}, "");
  if (k8s::ObjectView(*pod).is_being_deleted()) return end(key, *pod, queue);
  return node == kNodeName ? run(key, *pod, queue) : Status();
}

// Directories of pods that went while the sandbox was not running.
Status PodRunner::sweep() const {
  std::set<std::string> there;
  for (const ObjectPtr& pod : cluster_.api().store().list(kinds().pods.storage, "").objects) there.insert(pod->uid);
  for (const std::string& uid : directories_.pods()) {
    if (!there.contains(uid)) TRY("", directories_.remove_pod(uid));
  }
  return {};
}

Status PodRunner::end(const std::string& key, const Json& pod, WorkQueue& queue) const {
  const std::int64_t grace = json::int_or(pod, {"metadata", "deletionGracePeriodSeconds"}, 0);
  if (grace == 0) return {};  // only finalizers are left, and they are somebody else's
  const WallTime asked = *k8s::ObjectView(pod).deletion_timestamp() - std::chrono::seconds(grace);
  const Duration rest = asked + std::chrono::seconds(std::min(grace, kMostGrace)) - cluster_.api().clock().wall_now();
  if (rest > Duration::zero()) {
    queue.add_after(key, rest);
    return {};
  }
  return cluster_.remove(kinds().pods, pod, {.grace_period_seconds = 0});
}

std::string PodRunner::next_address() {
  addresses_ = addresses_ % kAddresses + 1;
  return fmt::format("10.244.{}.{}", addresses_ / 250, addresses_ % 250 + 2);
}

Status PodRunner::run(const std::string& key, const Json& pod, WorkQueue& queue) {
  const std::string phase = json::string_or(pod, {"status", "phase"}, "");
  if (phase == "Succeeded" || phase == "Failed") return {};
  const PodVolumes volumes(cluster_, directories_, pod);
  TRY_ASSIGN(const bool has_volumes, "make the directories of a pod", volumes.prepare());
  const auto owner = k8s::ObjectView(pod).controller();
  const PodFacts facts{
      .now = cluster_.now_text(),
      .pod_ip = json::has(pod, {"status", "podIP"}) ? "" : next_address(),
      .has_volumes = has_volumes,
      .runs_to_end = owner && owner->kind == "Job",
      .is_init_done = [&](const Json& init) { return !is_restore_wait(init) || volumes.are_restored(init); }};
  bool still_waits = false;
  TRY("", cluster_.modify_status(kinds().pods, pod, [&](Json& live) -> Status {
    advance_pod(live, facts);
    still_waits = json::string_or(live, {"status", "phase"}, "") == "Pending";
    return {};
  }));
  // Files do not tell when they appear.
  if (still_waits) queue.add_after(key, kLookAgain);
  return {};
}

}  // namespace landfall::sandbox
