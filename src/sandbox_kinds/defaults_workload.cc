#include <string>
#include <string_view>

#include "json/json.h"
#include "sandbox_kinds/defaults_kinds.h"
#include "sandbox_kinds/document_parts.h"

namespace landfall::sandbox {
namespace {

using json::Json;

constexpr int kRevisionHistory = 10;

// The spec with its pod template completed; null when there is none to complete.
Json* spec_with_template(Json& object) {
  Json* const spec = make_object(object, "spec");
  if (spec != nullptr) {
    default_pod_template(*spec);
  }
  return spec;
}

bool is_rolling(Json& spec, std::string_view strategy_field) {
  Json* const strategy = make_object(spec, strategy_field);
  if (strategy == nullptr) {
    return false;
  }
  put_text(*strategy, "type", "RollingUpdate");
  return text_in(*strategy, "type") == "RollingUpdate";
}

void default_job_spec(Json& spec) {
  constexpr int kBackoffLimit = 6;
  const bool neither = value_in(spec, "completions") == nullptr && value_in(spec, "parallelism") == nullptr;
  if (neither) {
    spec["completions"] = 1;
  }
  put_missing(spec, "parallelism", 1);
  if (value_in(spec, "backoffLimit") == nullptr) {
    // With a limit for each index, the limit for all of them together is out of reach.
    spec["backoffLimit"] = value_in(spec, "backoffLimitPerIndex") == nullptr ? kBackoffLimit : 2147483647;
  }
  put_missing(spec, "completionMode", "NonIndexed");
  put_missing(spec, "suspend", false);
  put_missing(spec, "manualSelector", false);
  const bool has_policy = value_in(spec, "podFailurePolicy") != nullptr;
  put_missing(spec, "podReplacementPolicy", has_policy ? "Failed" : "TerminatingOrFailed");
  if (Json* const policy = object_in(spec, "podFailurePolicy")) {
    each_object(*policy, "rules", [](Json& rule) {
      each_object(rule, "onPodConditions", [](Json& condition) { put_text(condition, "status", "True"); });
    });
  }
}

void default_claim_template(Json& claim) {
  put_text(claim, "apiVersion", "v1");
  put_text(claim, "kind", "PersistentVolumeClaim");
  make_object(claim, "metadata");
  if (Json* const spec = make_object(claim, "spec")) {
    default_claim_spec(*spec);
  }
  if (Json* const status = make_object(claim, "status")) {
    put_text(*status, "phase", "Pending");
  }
}

}  // namespace

void default_deployment(Json& object) {
  constexpr int kProgressDeadline = 600;
  Json* const spec = spec_with_template(object);
  if (spec == nullptr) {
    return;
  }
  put_missing(*spec, "replicas", 1);
  put_missing(*spec, "revisionHistoryLimit", kRevisionHistory);
  put_missing(*spec, "progressDeadlineSeconds", kProgressDeadline);
  if (is_rolling(*spec, "strategy")) {
    if (Json* const rolling = make_object((*spec)["strategy"], "rollingUpdate")) {
      put_missing(*rolling, "maxUnavailable", "25%");
      put_missing(*rolling, "maxSurge", "25%");
    }
  }
}

void default_replica_set(Json& object) {
  if (Json* const spec = spec_with_template(object)) {
    put_missing(*spec, "replicas", 1);
  }
}

void default_replication_controller(Json& object) {
  Json* const spec = spec_with_template(object);
  if (spec == nullptr) {
    return;
  }
  put_missing(*spec, "replicas", 1);
  const Json* const pod_template = object_in(*spec, "template");
  const Json* const metadata = pod_template == nullptr ? nullptr : object_in(*pod_template, "metadata");
  const Json* const labels = metadata == nullptr ? nullptr : object_in(*metadata, "labels");
  if (labels == nullptr || labels->empty()) {
    return;
  }
  const Json copy = *labels;
  put_missing(*spec, "selector", copy);
  if (Json* const own = make_object(object, "metadata")) {
    put_missing(*own, "labels", copy);
  }
}

void default_stateful_set(Json& object) {
  Json* const spec = spec_with_template(object);
  if (spec == nullptr) {
    return;
  }
  put_missing(*spec, "replicas", 1);
  put_text(*spec, "podManagementPolicy", "OrderedReady");
  put_missing(*spec, "revisionHistoryLimit", kRevisionHistory);
  if (is_rolling(*spec, "updateStrategy")) {
    if (Json* const rolling = make_object((*spec)["updateStrategy"], "rollingUpdate")) {
      put_missing(*rolling, "partition", 0);
    }
  }
  if (Json* const retention = make_object(*spec, "persistentVolumeClaimRetentionPolicy")) {
    put_text(*retention, "whenDeleted", "Retain");
    put_text(*retention, "whenScaled", "Retain");
  }
  each_object(*spec, "volumeClaimTemplates", default_claim_template);
}

void default_daemon_set(Json& object) {
  Json* const spec = spec_with_template(object);
  if (spec == nullptr) {
    return;
  }
  put_missing(*spec, "revisionHistoryLimit", kRevisionHistory);
  if (is_rolling(*spec, "updateStrategy")) {
    if (Json* const rolling = make_object((*spec)["updateStrategy"], "rollingUpdate")) {
      put_missing(*rolling, "maxUnavailable", 1);
      put_missing(*rolling, "maxSurge", 0);
    }
  }
}

void default_job(Json& object) {
  if (Json* const spec = spec_with_template(object)) {
    default_job_spec(*spec);
  }
}

void default_cron_job(Json& object) {
  constexpr int kSuccessfulJobs = 3;
  Json* const spec = make_object(object, "spec");
  if (spec == nullptr) {
    return;
  }
  put_text(*spec, "concurrencyPolicy", "Allow");
  put_missing(*spec, "suspend", false);
  put_missing(*spec, "successfulJobsHistoryLimit", kSuccessfulJobs);
  put_missing(*spec, "failedJobsHistoryLimit", 1);
  Json* const job = make_object(*spec, "jobTemplate");
  if (job == nullptr) {
    return;
  }
  make_object(*job, "metadata");
  // The job itself is completed when it is created, its pods here.
  if (Json* const job_spec = make_object(*job, "spec")) {
    default_pod_template(*job_spec);
  }
}

void default_pod_template_object(Json& object) { default_pod_template(object); }

}  // namespace landfall::sandbox
