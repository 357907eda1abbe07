#include "control/node_agents.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>

#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::control {

namespace {

constexpr Duration kFresh = std::chrono::seconds(5);

// Why it does not work, as Kubernetes says it; empty when it does. A pod whose program dies again and again, or whose
// node is lost, is "Running" all the same.
std::string trouble_of(const json::Json& pod) {
  const k8s::ObjectView view(pod);
  if (view.is_being_deleted()) return "being deleted";
  std::string phase = json::string_or(pod, {"status", "phase"}, "Unknown");
  if (phase != "Running") return phase;
  if (const json::Json* const containers = json::find(pod, {"status", "containerStatuses"});
      containers != nullptr && containers->is_array()) {
    for (const json::Json& one : *containers) {
      std::string reason = json::string_or(one, {"state", "waiting", "reason"}, "");
      if (!reason.empty()) return reason;
    }
  }
  if (const json::Json* const conditions = json::find(pod, {"status", "conditions"});
      conditions != nullptr && conditions->is_array()) {
    for (const json::Json& one : *conditions) {
      if (json::string_or(one, {"type"}, "") != "Ready" || json::string_or(one, {"status"}, "") == "True") continue;
      std::string reason = json::string_or(one, {"reason"}, "");
      return reason.empty() ? "not ready" : reason;
    }
  }
  return "";
}

}  // namespace

Status NodeAgents::check(const std::string& node, const std::stop_token& stop) {
  if (node.empty()) return fail(Code::kUnavailable, "the pod is on no node yet");
  const SteadyTime now = context_.clock.now();
  const auto known = answers_.with([&](const auto& answers) {
    const auto found = answers.find(node);
    const bool is_fresh = found != answers.end() && now < found->second.at + kFresh;
    return is_fresh ? std::optional(found->second.status) : std::optional<Status>();
  });
  if (known) return *known;
  Status asked = ask(node, stop);
  if (!stop.stop_requested()) {
    answers_.with([&](auto& answers) { answers.insert_or_assign(node, Answer{.at = now, .status = asked}); });
  }
  return asked;
}

Status NodeAgents::ask(const std::string& node, const std::stop_token& stop) const {
  const kube::Resource pods(context_.client, {"", "v1", "pods"}, context_.name_space);
  TRY_ASSIGN(const kube::ObjectList found, "node agent on node " + node,
             pods.list({.label_selector = "role=node-agent", .field_selector = "spec.nodeName=" + node}, stop));
  std::string state;
  for (const json::Json& pod : found.items) {
    state = trouble_of(pod);
    if (state.empty()) return {};
  }
  if (found.items.empty()) {
    return fail(Code::kUnavailable,
                fmt::format("no node agent is running on node {}: does the DaemonSet node-agent in namespace {} exist, "
                            "and may its pods run there?",
                            node, context_.name_space));
  }
  return fail(Code::kUnavailable, fmt::format("the node agent on node {} is not running ({})", node, state));
}

}  // namespace landfall::control
