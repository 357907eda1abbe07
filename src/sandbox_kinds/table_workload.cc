#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/rfc3339.h"
#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/kinds.h"
#include "sandbox_kinds/document_parts.h"
#include "sandbox_kinds/printer_values.h"
#include "sandbox_kinds/table_kinds.h"

namespace landfall::sandbox {
namespace {

using json::Json;

std::int64_t count(const Json& object, std::string_view section, std::string_view field) {
  return json::int_or(object, {section, field}, 0);
}

std::string of(std::int64_t part, std::int64_t whole) { return std::to_string(part) + "/" + std::to_string(whole); }

void add_containers(const Json* pod_spec, Json& cells) {
  cells.push_back(container_names(pod_spec));
  cells.push_back(container_images(pod_spec));
}

const Json* template_spec(const Json& object) { return json::find(object, {"spec", "template", "spec"}); }

void print_deployment(const Json& object, WallTime now, Json& cells) {
  cells.push_back(of(count(object, "status", "readyReplicas"), count(object, "spec", "replicas")));
  cells.push_back(count(object, "status", "updatedReplicas"));
  cells.push_back(count(object, "status", "availableReplicas"));
  cells.push_back(age_of(object, now));
  add_containers(template_spec(object), cells);
  cells.push_back(selector_text(json::find(object, {"spec", "selector"})));
}

void print_replica_set(const Json& object, WallTime now, Json& cells) {
  cells.push_back(count(object, "spec", "replicas"));
  cells.push_back(count(object, "status", "replicas"));
  cells.push_back(count(object, "status", "readyReplicas"));
  cells.push_back(age_of(object, now));
  add_containers(template_spec(object), cells);
  cells.push_back(selector_text(json::find(object, {"spec", "selector"})));
}

void print_replication_controller(const Json& object, WallTime now, Json& cells) {
  print_replica_set(object, now, cells);
  cells.back() = labels_text(json::find(object, {"spec", "selector"}));
}

void print_stateful_set(const Json& object, WallTime now, Json& cells) {
  cells.push_back(of(count(object, "status", "readyReplicas"), count(object, "spec", "replicas")));
  cells.push_back(age_of(object, now));
  add_containers(template_spec(object), cells);
}

void print_daemon_set(const Json& object, WallTime now, Json& cells) {
  for (const std::string_view field : {"desiredNumberScheduled", "currentNumberScheduled", "numberReady",
                                       "updatedNumberScheduled", "numberAvailable"}) {
    cells.push_back(count(object, "status", field));
  }
  cells.push_back(labels_text(json::find(object, {"spec", "template", "spec", "nodeSelector"})));
  cells.push_back(age_of(object, now));
  add_containers(template_spec(object), cells);
  cells.push_back(selector_text(json::find(object, {"spec", "selector"})));
}

bool is_condition_true(const Json& object, std::string_view type) {
  bool is = false;
  each_object(part_in(object, "status"), "conditions", [&](const Json& condition) {
    is = is || (text_in(condition, "type") == type && text_in(condition, "status") == "True");
  });
  return is;
}

std::string job_status(const Json& job) {
  if (is_condition_true(job, "Complete")) {
    return "Complete";
  }
  if (is_condition_true(job, "Failed")) {
    return "Failed";
  }
  if (json::has(job, {"metadata", "deletionTimestamp"})) {
    return "Terminating";
  }
  if (is_condition_true(job, "Suspended")) {
    return "Suspended";
  }
  if (is_condition_true(job, "FailureTarget")) {
    return "FailureTarget";
  }
  return is_condition_true(job, "SuccessCriteriaMet") ? "SuccessCriteriaMet" : "Running";
}

std::string job_completions(const Json& job) {
  const std::int64_t done = count(job, "status", "succeeded");
  if (json::has(job, {"spec", "completions"})) {
    return of(done, count(job, "spec", "completions"));
  }
  const std::int64_t parallel = count(job, "spec", "parallelism");
  return parallel > 1 ? of(done, 1) + " of " + std::to_string(parallel) : of(done, 1);
}

std::string job_duration(const Json& job, WallTime now) {
  const auto start = parse_rfc3339(json::string_or(job, {"status", "startTime"}, ""));
  if (!start) {
    return "";
  }
  const auto end = parse_rfc3339(json::string_or(job, {"status", "completionTime"}, ""));
  return human_duration((end ? *end : now) - *start);
}

void print_job(const Json& object, WallTime now, Json& cells) {
  cells.push_back(job_status(object));
  cells.push_back(job_completions(object));
  cells.push_back(job_duration(object, now));
  cells.push_back(age_of(object, now));
  add_containers(template_spec(object), cells);
  cells.push_back(selector_text(json::find(object, {"spec", "selector"})));
}

void print_cron_job(const Json& object, WallTime now, Json& cells) {
  const Json& spec = part_in(object, "spec");
  const Json* const active = json::find(object, {"status", "active"});
  const std::string last = json::string_or(object, {"status", "lastScheduleTime"}, "");
  cells.push_back(text_in(spec, "schedule"));
  cells.push_back(text_or_none(text_in(spec, "timeZone")));
  cells.push_back(is_true_in(spec, "suspend") ? "True" : "False");
  cells.push_back(active != nullptr && active->is_array() ? active->size() : 0);
  cells.push_back(last.empty() ? "<none>" : age_text(last, now));
  cells.push_back(age_of(object, now));
  add_containers(json::find(object, {"spec", "jobTemplate", "spec", "template", "spec"}), cells);
  cells.push_back(selector_text(json::find(object, {"spec", "jobTemplate", "spec", "selector"})));
}

void print_pod_template(const Json& object, WallTime /*now*/, Json& cells) {
  add_containers(json::find(object, {"template", "spec"}), cells);
  cells.push_back(labels_text(json::find(object, {"template", "metadata", "labels"})));
}

void print_controller_revision(const Json& object, WallTime now, Json& cells) {
  std::string owner = "<none>";
  each_object(part_in(object, "metadata"), "ownerReferences", [&](const Json& reference) {
    if (is_true_in(reference, "controller")) {
      const auto kind = k8s::kind_of(text_in(reference, "apiVersion"), text_in(reference, "kind"));
      owner = to_lower(k8s::to_string(k8s::GroupKind{kind.group, kind.kind})) + "/" +
              std::string(text_in(reference, "name"));
    }
  });
  cells.push_back(owner);
  cells.push_back(json::int_or(object, {"revision"}, 0));
  cells.push_back(age_of(object, now));
}

std::string metric_target(const Json& metric) {
  const Json& target = part_in(part_in(metric, "resource"), "target");
  const std::string name(text_in(part_in(metric, "resource"), "name"));
  if (const Json* const percent = value_in(target, "averageUtilization")) {
    return name + ": <unknown>/" + percent->dump() + "%";
  }
  if (const std::string_view value = text_in(target, "averageValue"); !value.empty()) {
    return name + ": <unknown>/" + std::string(value);
  }
  return "<unknown>";
}

// Only resources that are measured per pod: nothing measures anything here.
std::string autoscaler_targets(const Json& object) {
  const Json& spec = part_in(object, "spec");
  std::string text;
  each_object(spec, "metrics", [&](const Json& metric) { text += (text.empty() ? "" : ", ") + metric_target(metric); });
  if (const Json* const percent = value_in(spec, "targetCPUUtilizationPercentage")) {
    const Json* const current = json::find(object, {"status", "currentCPUUtilizationPercentage"});
    text =
        "cpu: " + (current == nullptr ? std::string("<unknown>") : current->dump() + "%") + "/" + percent->dump() + "%";
  }
  return text.empty() ? "<none>" : text;
}

void print_autoscaler(const Json& object, WallTime now, Json& cells) {
  const Json& target = part_in(part_in(object, "spec"), "scaleTargetRef");
  const Json* const least = json::find(object, {"spec", "minReplicas"});
  cells.push_back(std::string(text_in(target, "kind")) + "/" + std::string(text_in(target, "name")));
  cells.push_back(autoscaler_targets(object));
  cells.push_back(least == nullptr ? "<unset>" : least->dump());
  cells.push_back(count(object, "spec", "maxReplicas"));
  cells.push_back(count(object, "status", "currentReplicas"));
  cells.push_back(age_of(object, now));
}

std::string amount_or_none(const Json* amount) {
  if (amount == nullptr) {
    return "N/A";
  }
  return amount->is_string() ? amount->get<std::string>() : amount->dump();
}

void print_disruption_budget(const Json& object, WallTime now, Json& cells) {
  cells.push_back(amount_or_none(json::find(object, {"spec", "minAvailable"})));
  cells.push_back(amount_or_none(json::find(object, {"spec", "maxUnavailable"})));
  cells.push_back(count(object, "status", "disruptionsAllowed"));
  cells.push_back(age_of(object, now));
}

constexpr std::array kPrinters = {
    TablePrinter{"", "PodTemplate", "Containers|Images|Pod Labels", print_pod_template},
    TablePrinter{"", "ReplicationController",
                 "Desired:integer|Current:integer|Ready:integer|Age|Containers*|Images*|Selector*",
                 print_replication_controller},
    TablePrinter{"apps", "ControllerRevision", "Controller|Revision|Age", print_controller_revision},
    TablePrinter{"apps", "DaemonSet",
                 "Desired:integer|Current:integer|Ready:integer|Up-to-date:integer|Available:integer|Node Selector|Age|"
                 "Containers*|Images*|Selector*",
                 print_daemon_set},
    TablePrinter{"apps", "Deployment", "Ready|Up-to-date|Available|Age|Containers*|Images*|Selector*",
                 print_deployment},
    TablePrinter{"apps", "ReplicaSet",
                 "Desired:integer|Current:integer|Ready:integer|Age|Containers*|Images*|Selector*", print_replica_set},
    TablePrinter{"apps", "StatefulSet", "Ready|Age|Containers*|Images*", print_stateful_set},
    TablePrinter{"autoscaling", "HorizontalPodAutoscaler", "Reference|Targets|MinPods|MaxPods|Replicas|Age",
                 print_autoscaler},
    TablePrinter{"batch", "CronJob",
                 "Schedule|Timezone|Suspend:boolean|Active:integer|Last Schedule|Age|Containers*|Images*|Selector*",
                 print_cron_job},
    TablePrinter{"batch", "Job", "Status|Completions|Duration|Age|Containers*|Images*|Selector*", print_job},
    TablePrinter{"policy", "PodDisruptionBudget", "Min Available|Max Unavailable|Allowed Disruptions:integer|Age",
                 print_disruption_budget},
};

}  // namespace

std::span<const TablePrinter> workload_printers() { return kPrinters; }

}  // namespace landfall::sandbox
