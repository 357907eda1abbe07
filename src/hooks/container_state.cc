#include "hooks/container_state.h"

#include <cstdint>

#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::hooks {
namespace {

using json::Json;

// Messages of kubelets and schedulers can be pages long.
constexpr std::size_t kMaxMessage = 300;

const Json* named(const Json& pod, const json::Path& list, std::string_view name) {
  const Json* elements = json::find(pod, list);
  if (elements == nullptr || !elements->is_array()) return nullptr;
  for (const Json& one : *elements) {
    if (json::string_or(one, {"name"}, "") == name) return &one;
  }
  return nullptr;
}

// "reason: message", as far as there are any.
std::string reason_of(const Json& from) {
  std::string text = json::string_or(from, {"reason"}, "");
  std::string message = json::string_or(from, {"message"}, "");
  if (message.size() > kMaxMessage) {
    std::size_t end = kMaxMessage;
    while (end > 0 && (static_cast<unsigned char>(message[end]) & 0xC0U) == 0x80U) --end;  // not inside a character
    message.replace(end, std::string::npos, "…");
  }
  if (!text.empty() && !message.empty()) text += ": ";
  return text + message;
}

// Whether a container that has ended with that code is started again.
bool is_restarted(const Json& pod, std::string_view container, std::int64_t exit_code) {
  const Json* init = named(pod, {"spec", "initContainers"}, container);
  if (init != nullptr && json::string_or(*init, {"restartPolicy"}, "") == "Always") return true;
  const std::string policy = json::string_or(pod, {"spec", "restartPolicy"}, "Always");
  return policy == "Always" || (policy == "OnFailure" && exit_code != 0);
}

std::string why_not_started(const Json& pod) {
  const Json* scheduled = k8s::ObjectView(pod).condition("PodScheduled");
  if (scheduled != nullptr && json::string_or(*scheduled, {"status"}, "") != "True") {
    return "the pod is not scheduled: " + reason_of(*scheduled);
  }
  return "not started; the pod is " + json::string_or(pod, {"status", "phase"}, "Pending");
}

}  // namespace

ContainerState container_state(const Json& pod, std::string_view container) {
  const Json* status = named(pod, {"status", "containerStatuses"}, container);
  if (status == nullptr) status = named(pod, {"status", "initContainerStatuses"}, container);
  if (status == nullptr) return {.text = why_not_started(pod)};

  ContainerState state{.is_running = json::has(*status, {"state", "running"}),
                       .is_ready = json::bool_or(*status, {"ready"}, false)};
  if (const Json* waiting = json::find(*status, {"state", "waiting"})) {
    state.text = "waiting: " + reason_of(*waiting);
  } else if (const Json* terminated = json::find(*status, {"state", "terminated"})) {
    const std::int64_t code = json::int_or(*terminated, {"exitCode"}, 0);
    state.is_over = !is_restarted(pod, container, code);
    state.text = "ended with exit code " + std::to_string(code);
    if (state.is_over) state.text += " and is not started again";
  } else if (state.is_running) {
    state.text = state.is_ready ? "ready" : "running, but not ready";
  } else {
    state.text = why_not_started(pod);
  }
  return state;
}

bool has_pod_ended(const Json& pod, std::string& why) {
  const std::string phase = json::string_or(pod, {"status", "phase"}, "");
  if (phase != "Succeeded" && phase != "Failed") return false;
  why = "it has ended with the phase " + phase;
  const Json* status = json::find(pod, {"status"});
  if (const std::string reason = reason_of(*status); !reason.empty()) why += " (" + reason + ")";
  return true;
}

}  // namespace landfall::hooks
