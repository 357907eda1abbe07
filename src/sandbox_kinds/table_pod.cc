#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/rfc3339.h"
#include "json/access.h"
#include "json/json.h"
#include "sandbox_kinds/document_parts.h"
#include "sandbox_kinds/printer_values.h"
#include "sandbox_kinds/table_kinds.h"

namespace landfall::sandbox {
namespace {

using json::Json;

const Json* by_name(const Json& parent, std::string_view list, std::string_view name) {
  const Json* found = nullptr;
  each_object(parent, list, [&](const Json& element) { found = text_in(element, "name") == name ? &element : found; });
  return found;
}

// What `kubectl get pods` says about a pod, gathered over its containers.
class PodSummary {
 public:
  PodSummary(const Json& pod, WallTime now)
      : pod_(pod), spec_(part_in(pod, "spec")), status_(part_in(pod, "status")), now_(now) {
    count_containers();
    reason_ = std::string(text_in(status_, "reason"));
    if (reason_.empty()) {
      reason_ = text_in(status_, "phase");
    }
    each_object(status_, "conditions", [this](const Json& condition) {
      if (text_in(condition, "type") == "PodScheduled" && text_in(condition, "reason") == "SchedulingGated") {
        reason_ = "SchedulingGated";
      }
    });
    const bool is_initializing = look_at_init_containers();
    if (!is_initializing || is_initialized()) {
      look_at_containers();
    }
    look_at_deletion();
  }

  std::string ready() const { return std::to_string(ready_) + "/" + std::to_string(total_); }
  const std::string& reason() const { return reason_; }
  std::string restarts() const {
    std::string text = std::to_string(restarts_);
    if (restarts_ != 0 && !last_restart_.empty()) {
      text += " (" + age_text(last_restart_, now_) + " ago)";
    }
    return text;
  }

 private:
  static bool is_sidecar(const Json* container) {
    return container != nullptr && text_in(*container, "restartPolicy") == "Always";
  }

  void count_containers() {
    each_object(spec_, "containers", [this](const Json&) { ++total_; });
    each_object(spec_, "initContainers", [this](const Json& container) {
      total_ += is_sidecar(&container) ? 1 : 0;
      ++init_containers_;
    });
  }

  bool is_initialized() const {
    bool is = false;
    each_object(status_, "conditions", [&](const Json& condition) {
      is = is || (text_in(condition, "type") == "Initialized" && text_in(condition, "status") == "True");
    });
    return is;
  }

  void count_restarts(const Json& container) {
    restarts_ += json::int_or(container, {"restartCount"}, 0);
    const Json& ended = part_in(part_in(container, "lastState"), "terminated");
    last_restart_ = std::max(last_restart_, std::string(text_in(ended, "finishedAt")));
  }

  static std::string exit_text(const Json& terminated) {
    const std::int64_t signal = json::int_or(terminated, {"signal"}, 0);
    return signal != 0 ? "Signal:" + std::to_string(signal)
                       : "ExitCode:" + std::to_string(json::int_or(terminated, {"exitCode"}, 0));
  }

  // True when one of them is not done: the pod is shown by that one.
  bool look_at_init_containers() {
    std::size_t index = 0;
    bool is_found = false;
    each_object(status_, "initContainerStatuses", [&](const Json& container) {
      const std::size_t i = index++;
      count_restarts(container);
      if (is_found) {
        return;
      }
      const Json* const terminated = value_in(part_in(container, "state"), "terminated");
      const bool side = is_sidecar(by_name(spec_, "initContainers", text_in(container, "name")));
      if (terminated != nullptr && json::int_or(*terminated, {"exitCode"}, 0) == 0 &&
          json::int_or(*terminated, {"signal"}, 0) == 0) {
        return;
      }
      if (side && is_true_in(container, "started")) {
        ready_ += is_true_in(container, "ready") ? 1 : 0;
        return;
      }
      is_found = true;
      const std::string_view waiting = text_in(part_in(part_in(container, "state"), "waiting"), "reason");
      if (terminated != nullptr) {
        const std::string_view why = text_in(*terminated, "reason");
        reason_ = "Init:" + (why.empty() ? exit_text(*terminated) : std::string(why));
      } else if (!waiting.empty() && waiting != "PodInitializing") {
        reason_ = "Init:" + std::string(waiting);
      } else {
        reason_ = "Init:" + std::to_string(i) + "/" + std::to_string(init_containers_);
      }
    });
    return is_found;
  }

  void look_at_containers() {
    // Restarts of init containers are of no interest once they are through, sidecars aside.
    restarts_ = 0;
    bool has_running = false;
    const Json* const list = value_in(status_, "containerStatuses");
    if (list == nullptr || !list->is_array()) {
      return;
    }
    for (auto container = list->rbegin(); container != list->rend(); ++container) {
      count_restarts(*container);
      const Json& state = part_in(*container, "state");
      const Json* const terminated = value_in(state, "terminated");
      const std::string_view waiting = text_in(part_in(state, "waiting"), "reason");
      if (!waiting.empty()) {
        reason_ = waiting;
      } else if (terminated != nullptr) {
        const std::string_view why = text_in(*terminated, "reason");
        reason_ = why.empty() ? exit_text(*terminated) : std::string(why);
      } else if (is_true_in(*container, "ready") && value_in(state, "running") != nullptr) {
        has_running = true;
        ++ready_;
      }
    }
    if (reason_ == "Completed" && has_running) {
      reason_ = is_condition_true("Ready") ? "Running" : "NotReady";
    }
  }

  bool is_condition_true(std::string_view type) const {
    bool is = false;
    each_object(status_, "conditions", [&](const Json& condition) {
      is = is || (text_in(condition, "type") == type && text_in(condition, "status") == "True");
    });
    return is;
  }

  void look_at_deletion() {
    if (value_in(part_in(pod_, "metadata"), "deletionTimestamp") == nullptr) {
      return;
    }
    const std::string_view phase = text_in(status_, "phase");
    if (text_in(status_, "reason") == "NodeLost") {
      reason_ = "Unknown";
    } else if (phase != "Succeeded" && phase != "Failed") {
      reason_ = "Terminating";
    }
  }

  const Json& pod_;
  const Json& spec_;
  const Json& status_;
  WallTime now_;
  std::int64_t total_ = 0;
  std::int64_t ready_ = 0;
  std::int64_t init_containers_ = 0;
  std::int64_t restarts_ = 0;
  std::string last_restart_;
  std::string reason_;
};

std::string readiness_gates(const Json& spec, const Json& status) {
  std::int64_t gates = 0;
  std::int64_t open = 0;
  each_object(spec, "readinessGates", [&](const Json& gate) {
    ++gates;
    each_object(status, "conditions", [&](const Json& condition) {
      const bool is_it = text_in(condition, "type") == text_in(gate, "conditionType");
      open += is_it && text_in(condition, "status") == "True" ? 1 : 0;
    });
  });
  return gates == 0 ? "<none>" : std::to_string(open) + "/" + std::to_string(gates);
}

void print_pod(const Json& pod, WallTime now, Json& cells) {
  const PodSummary summary(pod, now);
  const Json& status = part_in(pod, "status");
  std::string address(text_in(status, "podIP"));
  if (const Json* const first = json::find(status, {"podIPs", "0", "ip"}); first != nullptr && first->is_string()) {
    address = first->get<std::string>();
  }
  cells.push_back(summary.ready());
  cells.push_back(summary.reason());
  cells.push_back(summary.restarts());
  cells.push_back(age_of(pod, now));
  cells.push_back(text_or_none(address));
  cells.push_back(text_or_none(text_in(part_in(pod, "spec"), "nodeName")));
  cells.push_back(text_or_none(text_in(status, "nominatedNodeName")));
  cells.push_back(readiness_gates(part_in(pod, "spec"), status));
}

constexpr std::array kPrinters = {
    TablePrinter{"", "Pod", "Ready|Status|Restarts|Age|IP*|Node*|Nominated Node*|Readiness Gates*", print_pod},
};

}  // namespace

std::span<const TablePrinter> pod_printers() { return kPrinters; }

}  // namespace landfall::sandbox
