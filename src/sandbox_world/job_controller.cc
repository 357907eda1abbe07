#include "sandbox_world/job_controller.h"

#include <algorithm>

#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::sandbox {
namespace {

using json::Json;

struct JobPods {
  std::int64_t active = 0;
  std::int64_t ready = 0;
  std::int64_t succeeded = 0;
};

JobPods count(const std::vector<Json>& pods) {
  JobPods counts;
  for (const Json& pod : pods) {
    if (json::string_or(pod, {"status", "phase"}, "") == "Succeeded") ++counts.succeeded;
    if (!is_active(pod)) continue;
    ++counts.active;
    if (is_ready(pod)) ++counts.ready;
  }
  return counts;
}

bool is_over(const Json& job) {
  const k8s::ObjectView view(job);
  return view.is_condition_true("Complete") || view.is_condition_true("Failed");
}

void write_status(Json& job, const JobPods& counts, bool is_suspended, bool is_complete, const std::string& now) {
  Json& status = job["status"];
  put_count(status, "active", counts.active);
  put_count(status, "succeeded", counts.succeeded);
  status["ready"] = counts.ready;
  status["terminating"] = 0;
  status["uncountedTerminatedPods"] = Json::object();
  if (is_suspended) {
    set_condition(job, "Suspended", true, "JobSuspended", "Job suspended", now);
  } else {
    if (!status.contains("startTime")) status["startTime"] = now;
    if (k8s::ObjectView(job).condition("Suspended") != nullptr) {
      set_condition(job, "Suspended", false, "JobResumed", "Job resumed", now);
    }
  }
  if (is_complete) {
    const std::string_view reason = "CompletionsReached";
    const std::string_view message = "Reached expected number of succeeded pods";
    set_condition(job, "SuccessCriteriaMet", true, reason, message, now);
    set_condition(job, "Complete", true, reason, message, now);
    job["status"]["completionTime"] = now;
  }
  if (!job["status"].contains("conditions")) return;
  for (Json& condition : job["status"]["conditions"]) {
    if (!condition.contains("lastProbeTime")) condition["lastProbeTime"] = now;
  }
}

}  // namespace

Status JobController::sync(const std::string&, const Json& job, WorkQueue&) {
  if (is_over(job)) return {};
  TRY_ASSIGN(const std::vector<Json> pods, "", children(job));
  JobPods counts = count(pods);
  const bool is_suspended = json::bool_or(job, {"spec", "suspend"}, false);
  const std::int64_t parallel = json::int_or(job, {"spec", "parallelism"}, 1);
  // Without a number of completions one success ends the whole.
  const bool is_counted = json::has(job, {"spec", "completions"});
  const std::int64_t completions = is_counted ? json::int_or(job, {"spec", "completions"}, 1) : 1;
  const bool is_complete = counts.succeeded >= completions && counts.active == 0 && !is_suspended;
  std::int64_t missing = std::min(parallel, completions - counts.succeeded) - counts.active;
  if (!is_counted) missing = counts.succeeded > 0 ? 0 : parallel - counts.active;
  if (is_suspended) {
    for (const Json& pod : pods) {
      if (is_active(pod)) TRY("remove a pod", cluster().remove(kinds().pods, pod));
    }
    counts.active = 0;
  } else {
    for (std::int64_t i = 0; i < missing; ++i) {
      Json pod = pod_from_template(job);
      pod["metadata"]["generateName"] = std::string(k8s::ObjectView(job).name()) + "-";
      TRY("", create_pod(job, std::move(pod)));
      ++counts.active;
    }
  }
  const std::string now = cluster().now_text();
  return cluster().modify_status(kind(), job, [&](Json& live) -> Status {
    if (!is_over(live)) write_status(live, counts, is_suspended, is_complete, now);
    return {};
  });
}

}  // namespace landfall::sandbox
