#include "sandbox_world/pod_status.h"

#include "base/digest.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "sandbox_world/cluster.h"

namespace landfall::sandbox {
namespace {

using json::Json;

enum class State { kWaiting, kRunning, kDone };

// What was written before about the container of this name; null: nothing.
const Json* old_status(const Json& pod, std::string_view list, const std::string& name) {
  const Json* statuses = json::find(pod, {"status", list});
  if (statuses == nullptr || !statuses->is_array()) return nullptr;
  for (const Json& status : *statuses) {
    if (json::string_or(status, {"name"}, "") == name) return &status;
  }
  return nullptr;
}

std::string container_id(const Json& pod, const std::string& name) {
  return "sandbox://" + sha256_hex(std::string(k8s::ObjectView(pod).uid()) + "/" + name);
}

Json container_status(const Json& pod, std::string_view list, const Json& container, State state,
                      std::string_view waits_for, const std::string& now) {
  const std::string name = json::string_or(container, {"name"}, "");
  const std::string image = json::string_or(container, {"image"}, "");
  const Json* before = old_status(pod, list, name);
  Json status = {{"name", name}, {"image", image}, {"imageID", ""}, {"restartCount", 0}, {"lastState", Json::object()}};
  const bool is_init = list == "initContainerStatuses";
  status["ready"] = state == State::kRunning ? !is_init : (is_init && state == State::kDone);
  status["started"] = state == State::kRunning;
  if (state == State::kWaiting) {
    status["state"] = {{"waiting", {{"reason", waits_for}}}};
    return status;
  }
  status["imageID"] = image;
  status["containerID"] = container_id(pod, name);
  std::string since = now;
  if (before != nullptr) {
    since = json::string_or(*before, {"state", "running", "startedAt"},
                            json::string_or(*before, {"state", "terminated", "startedAt"}, now));
  }
  if (state == State::kRunning) {
    status["state"] = {{"running", {{"startedAt", since}}}};
    return status;
  }
  const std::string until =
      before == nullptr ? now : json::string_or(*before, {"state", "terminated", "finishedAt"}, now);
  status["state"] = {{"terminated",
                      {{"containerID", status["containerID"]},
                       {"exitCode", 0},
                       {"reason", "Completed"},
                       {"startedAt", since},
                       {"finishedAt", until}}}};
  return status;
}

// Writes the statuses of the init containers; true when the pod's own containers may start.
bool advance_init(Json& pod, const Json& containers, const PodFacts& facts) {
  Json statuses = Json::array();
  bool goes_on = facts.has_volumes;
  for (const Json& container : containers) {
    State state = State::kWaiting;
    const bool is_sidecar = json::string_or(container, {"restartPolicy"}, "") == "Always";
    if (goes_on && is_sidecar) state = State::kRunning;
    if (goes_on && !is_sidecar) {
      state = facts.is_init_done(container) ? State::kDone : State::kRunning;
      goes_on = state == State::kDone;
    }
    statuses.push_back(container_status(pod, "initContainerStatuses", container, state, "PodInitializing", facts.now));
    if (is_sidecar && state == State::kRunning) statuses.back()["ready"] = true;
  }
  if (!statuses.empty()) pod["status"]["initContainerStatuses"] = std::move(statuses);
  return goes_on;
}

void set_pod_conditions(Json& pod, bool is_initialized, State state, const PodFacts& facts) {
  const bool is_ready = state == State::kRunning;
  std::string_view unready = "ContainersNotReady";
  if (state == State::kDone) unready = "PodCompleted";
  set_condition(pod, "PodReadyToStartContainers", facts.has_volumes && state != State::kDone, "", "", facts.now);
  std::string_view init_reason = is_initialized ? "" : "ContainersNotInitialized";
  if (state == State::kDone) init_reason = "PodCompleted";
  set_condition(pod, "Initialized", is_initialized, init_reason, "", facts.now);
  set_condition(pod, "Ready", is_ready, is_ready ? "" : unready, "", facts.now);
  set_condition(pod, "ContainersReady", is_ready, is_ready ? "" : unready, "", facts.now);
  set_condition(pod, "PodScheduled", true, "", "", facts.now);
  for (Json& condition : pod["status"]["conditions"]) {
    if (!condition.contains("lastProbeTime")) condition["lastProbeTime"] = nullptr;
  }
}

void set_addresses(Json& status, const Json& pod, const PodFacts& facts) {
  constexpr const char* kHost = "127.0.0.1";
  status["hostIP"] = kHost;
  status["hostIPs"] = Json::array({{{"ip", kHost}}});
  if (!facts.has_volumes || status.contains("podIP")) return;
  const std::string ip = json::bool_or(pod, {"spec", "hostNetwork"}, false) ? kHost : facts.pod_ip;
  status["podIP"] = ip;
  status["podIPs"] = Json::array({{{"ip", ip}}});
}

Json containers_of(const Json& pod, std::string_view list) {
  const Json* containers = json::find(pod, {"spec", list});
  return containers != nullptr && containers->is_array() ? *containers : Json::array();
}

}  // namespace

bool is_restore_wait(const Json& init_container) {
  const std::string name = json::string_or(init_container, {"name"}, "");
  return name == "restore-wait" || name == "restic-wait";
}

void advance_pod(Json& pod, const PodFacts& facts) {
  const std::string phase = json::string_or(pod, {"status", "phase"}, "");
  if (phase == "Succeeded" || phase == "Failed") return;
  Json& status = pod["status"];
  if (!status.contains("startTime")) status["startTime"] = facts.now;
  set_addresses(status, pod, facts);
  const Json init = containers_of(pod, "initContainers");
  const bool is_initialized = advance_init(pod, init, facts);
  State state = State::kWaiting;
  if (is_initialized) state = facts.runs_to_end && phase == "Running" ? State::kDone : State::kRunning;
  const std::string_view reason = init.empty() ? "ContainerCreating" : "PodInitializing";
  Json statuses = Json::array();
  for (const Json& container : containers_of(pod, "containers")) {
    statuses.push_back(container_status(pod, "containerStatuses", container, state, reason, facts.now));
  }
  pod["status"]["containerStatuses"] = std::move(statuses);
  pod["status"]["phase"] = state == State::kWaiting ? "Pending" : state == State::kRunning ? "Running" : "Succeeded";
  set_pod_conditions(pod, is_initialized, state, facts);
}

}  // namespace landfall::sandbox
