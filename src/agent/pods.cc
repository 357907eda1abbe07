#include "agent/pods.h"

#include <fmt/format.h>

#include <chrono>

#include "json/access.h"
#include "k8s/object_view.h"

namespace landfall::agent {

using json::Json;

namespace {

constexpr Duration kCallTime = std::chrono::seconds(10);
constexpr Duration kInsistence = std::chrono::minutes(10);
constexpr Duration kPause = std::chrono::milliseconds(500);

}  // namespace

Result<Json> find_pod(const AgentContext& context, const Json& transfer, const std::stop_token& stop) {
  const std::string name_space = json::string_or(transfer, {"spec", "pod", "namespace"}, "");
  const std::string name = json::string_or(transfer, {"spec", "pod", "name"}, "");
  auto pod = kube::Resource(context.client, {"", "v1", "pods"}, name_space).within(kCallTime).get(name, stop);
  if (!pod && pod.error().code() == Code::kNotFound) {
    return fail(Code::kNotFound, fmt::format("pod {}/{} is gone", name_space, name));
  }
  if (!pod) return fail(fmt::format("pod {}/{}", name_space, name), std::move(pod).error());
  const std::string uid = json::string_or(transfer, {"spec", "pod", "uid"}, "");
  if (!uid.empty() && k8s::ObjectView(*pod).uid() != uid) {
    return fail(Code::kNotFound, fmt::format("pod {}/{} is gone, and another one has its name", name_space, name));
  }
  return pod;
}

Result<Json> find_pod_surely(const AgentContext& context, const Json& transfer, const std::stop_token& stop) {
  const SteadyTime give_up = context.clock.after(kInsistence);
  while (true) {
    auto pod = find_pod(context, transfer, {});
    if (pod || !may_pass(pod.error().code())) return pod;
    if (stop.stop_requested() || context.clock.now() >= give_up) return pod;
    context.log.debug("the pod was not looked up; trying again", {LogField(pod.error())});
    context.clock.sleep_for(kPause, stop);
  }
}

Status check_running(const Json& pod) {
  const std::string phase = json::string_or(pod, {"status", "phase"}, "Unknown");
  if (phase == "Running") return {};
  const k8s::ObjectView view(pod);
  return fail(Code::kInvalid, fmt::format("pod {}/{} is not running ({}): its volumes may not be there",
                                          view.name_space(), view.name(), phase));
}

RestoreWait restore_wait(const Json& pod) {
  bool is_released = false;
  const Json* statuses = json::find(pod, {"status", "initContainerStatuses"});
  if (statuses != nullptr && statuses->is_array()) {
    for (const Json& one : *statuses) {
      const std::string name = json::string_or(one, {"name"}, "");
      if (name != kRestoreWait && name != kOldRestoreWait) continue;
      if (json::has(one, {"state", "running"})) return RestoreWait::kWaits;
      if (json::int_or(one, {"state", "terminated", "exitCode"}, 1) == 0) is_released = true;
    }
  }
  if (is_released) return RestoreWait::kReleased;
  const std::string phase = json::string_or(pod, {"status", "phase"}, "");
  const bool is_past = phase == "Running" || phase == "Succeeded" || phase == "Failed";
  return is_past ? RestoreWait::kOver : RestoreWait::kNotYet;
}

}  // namespace landfall::agent
