#include <string>
#include <string_view>

#include "base/cron.h"
#include "base/quote.h"
#include "base/strings.h"
#include "json/json.h"
#include "k8s/label_selector_json.h"
#include "k8s/names.h"
#include "sandbox_kinds/document_parts.h"
#include "sandbox_kinds/validation_causes.h"
#include "sandbox_kinds/validation_kinds.h"

namespace landfall::sandbox {
namespace {

using json::Json;

const Json& spec_of(const Json& object) {
  static const Json nothing = Json::object();
  const Json* const spec = object_in(object, "spec");
  return spec == nullptr ? nothing : *spec;
}

const Json* template_part(const Json& spec, std::string_view part) {
  const Json* const pod_template = object_in(spec, "template");
  return pod_template == nullptr ? nullptr : object_in(*pod_template, part);
}

void check_expression(Causes& causes, const std::string& field, const Json& expression) {
  const std::string_view op = text_in(expression, "operator");
  const Json* const values = value_in(expression, "values");
  const bool has_values = values != nullptr && values->is_array() && !values->empty();
  if (op == "In" || op == "NotIn") {
    if (!has_values) {
      causes.push_back(required_cause(field + ".values", "must be specified when `operator` is 'In' or 'NotIn'"));
    }
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (has_values) {
      causes.push_back(
          forbidden_cause(field + ".values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    }
  } else {
    causes.push_back(invalid_cause(field + ".operator", op, "not a valid selector operator"));
  }
  const std::string_view key = text_in(expression, "key");
  add_problems(causes, field + ".key", key, k8s::qualified_name_problems(key));
}

// The selector must be there, say something, and find the pods that the template makes.
void check_selector(Causes& causes, const Json& spec, std::string_view kind, bool is_required) {
  const Json* const selector = object_in(spec, "selector");
  if (selector == nullptr) {
    if (is_required) {
      causes.push_back(required_cause("spec.selector"));
    }
    return;
  }
  check_label_selector(causes, "spec.selector", *selector);
  if (selector->empty()) {
    causes.push_back(invalid_cause("spec.selector", *selector, "empty selector is invalid for " + std::string(kind)));
  }
}

void check_template_labels(Causes& causes, const Json& spec) {
  const Json* const selector = object_in(spec, "selector");
  const Json* const metadata = template_part(spec, "metadata");
  const Json* const labels = metadata == nullptr ? nullptr : object_in(*metadata, "labels");
  if (selector != nullptr && selector->empty()) {
    return;
  }
  const auto parsed = k8s::label_selector_from_json(selector);
  if (!parsed) {
    causes.push_back(
        invalid_cause("spec.selector", selector == nullptr ? Json() : *selector, "invalid label selector"));
    return;
  }
  json::StringMap map;
  if (labels != nullptr) {
    map = json::string_map_at(*labels, {}).value_or(json::StringMap{});
  }
  if (!parsed->matches(map)) {
    causes.push_back(invalid_cause("spec.template.metadata.labels", labels == nullptr ? Json() : *labels,
                                   "`selector` does not match template `labels`"));
  }
}

// Claims made from templates are volumes of the pods, too.
Json with_claims(const Json& spec) {
  Json copy = spec;
  Json* const pod_template = object_in(copy, "template");
  Json* const pod_spec = pod_template == nullptr ? nullptr : object_in(*pod_template, "spec");
  if (pod_spec == nullptr) {
    return copy;
  }
  put_missing(*pod_spec, "volumes", Json::array());
  each_object(spec, "volumeClaimTemplates", [&](const Json& claim) {
    const Json* const metadata = object_in(claim, "metadata");
    const std::string name(metadata == nullptr ? "" : text_in(*metadata, "name"));
    bool is_there = false;
    each_object(*pod_spec, "volumes",
                [&](const Json& volume) { is_there = is_there || text_in(volume, "name") == name; });
    if (!is_there && (*pod_spec)["volumes"].is_array()) {
      (*pod_spec)["volumes"].push_back({{"name", name}, {"emptyDir", Json::object()}});
    }
  });
  return copy;
}

void check_template_spec(Causes& causes, const std::string& field, const Json& spec) {
  const Json nothing = Json::object();
  const Json* const metadata = template_part(spec, "metadata");
  check_labels(causes, field + ".template.labels", metadata == nullptr ? nullptr : object_in(*metadata, "labels"));
  const Json* const pod_spec = template_part(spec, "spec");
  check_pod_spec(causes, field + ".template.spec", pod_spec == nullptr ? nothing : *pod_spec);
}

// Only jobs may let their pods end.
void check_runs_forever(Causes& causes, const Json& spec) {
  const Json* const pod_spec = template_part(spec, "spec");
  const std::string_view policy = pod_spec == nullptr ? "Always" : text_in(*pod_spec, "restartPolicy");
  if (policy == "OnFailure" || policy == "Never") {
    causes.push_back(unsupported_cause("spec.template.spec.restartPolicy", policy, {"Always"}));
  }
}

void check_runs_to_end(Causes& causes, const std::string& field, const Json& spec) {
  const Json* const pod_spec = template_part(spec, "spec");
  const std::string_view policy = pod_spec == nullptr ? "" : text_in(*pod_spec, "restartPolicy");
  if (policy == "Always" || policy.empty()) {
    causes.push_back(required_cause(field + ".template.spec.restartPolicy", R"(valid values: "OnFailure", "Never")"));
  }
}

std::string strategy_text(std::string_view type) { return R"({"Type":)" + quote(type) + R"(,"RollingUpdate":null})"; }

bool is_nothing(const Json* amount) { return amount != nullptr && (*amount == 0 || *amount == "0%"); }

void check_strategy(Causes& causes, const Json& spec) {
  const Json* const strategy = object_in(spec, "strategy");
  if (strategy == nullptr) {
    return;
  }
  const std::string_view type = text_in(*strategy, "type");
  const Json* const rolling = object_in(*strategy, "rollingUpdate");
  if (type == "Recreate") {
    if (rolling != nullptr) {
      causes.push_back(
          forbidden_cause("spec.strategy.rollingUpdate", "may not be specified when strategy `type` is 'Recreate'"));
    }
  } else if (type != "RollingUpdate") {
    causes.push_back(unsupported_shown_cause("spec.strategy", strategy_text(type), {"Recreate", "RollingUpdate"}));
  } else if (rolling != nullptr && is_nothing(value_in(*rolling, "maxSurge")) &&
             is_nothing(value_in(*rolling, "maxUnavailable"))) {
    causes.push_back(invalid_cause("spec.strategy.rollingUpdate.maxUnavailable", (*rolling)["maxUnavailable"],
                                   "may not be 0 when `maxSurge` is 0"));
  }
}

void check_job_spec(Causes& causes, const std::string& field, const Json& spec) {
  for (const std::string_view count :
       {"parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished"}) {
    add_if_negative(causes, field + ".", spec, count);
  }
  add_if_unsupported(causes, field + ".", spec, "completionMode", {"NonIndexed", "Indexed"});
  if (text_in(spec, "completionMode") == "Indexed" && value_in(spec, "completions") == nullptr) {
    causes.push_back(required_cause(field + ".completions", "when completion mode is Indexed"));
  }
}

}  // namespace

void check_label_selector(Causes& causes, const std::string& field, const Json& selector) {
  check_labels(causes, field + ".matchLabels", object_in(selector, "matchLabels"));
  std::size_t index = 0;
  each_object(selector, "matchExpressions", [&](const Json& expression) {
    check_expression(causes, field + ".matchExpressions[" + std::to_string(index++) + "]", expression);
  });
}

void check_deployment(Causes& causes, const Json& object) {
  const Json& spec = spec_of(object);
  add_if_negative(causes, "spec.", spec, "replicas");
  check_selector(causes, spec, "deployment", true);
  check_template_labels(causes, spec);
  check_template_spec(causes, "spec", spec);
  check_runs_forever(causes, spec);
  check_strategy(causes, spec);
  add_if_negative(causes, "spec.", spec, "minReadySeconds");
  add_if_negative(causes, "spec.", spec, "revisionHistoryLimit");
}

void check_replica_set(Causes& causes, const Json& object) {
  const Json& spec = spec_of(object);
  add_if_negative(causes, "spec.", spec, "replicas");
  add_if_negative(causes, "spec.", spec, "minReadySeconds");
  check_selector(causes, spec, "replicaset", true);
  check_template_labels(causes, spec);
  check_template_spec(causes, "spec", spec);
  check_runs_forever(causes, spec);
}

void check_stateful_set(Causes& causes, const Json& object) {
  const Json& spec = spec_of(object);
  const std::string_view order = text_in(spec, "podManagementPolicy");
  if (order != "OrderedReady" && order != "Parallel") {
    causes.push_back(invalid_cause("spec.podManagementPolicy", order, "must be 'OrderedReady' or 'Parallel'"));
  }
  if (const Json* const strategy = object_in(spec, "updateStrategy")) {
    const std::string_view type = text_in(*strategy, "type");
    if (type != "RollingUpdate" && type != "OnDelete") {
      causes.push_back(
          invalid_shown_cause("spec.updateStrategy", strategy_text(type), "must be 'RollingUpdate' or 'OnDelete'"));
    }
  }
  add_if_negative(causes, "spec.", spec, "replicas");
  check_selector(causes, spec, "statefulset", true);
  check_template_labels(causes, spec);
  check_template_spec(causes, "spec", with_claims(spec));
  check_runs_forever(causes, spec);
}

void check_daemon_set(Causes& causes, const Json& object) {
  const Json& spec = spec_of(object);
  check_selector(causes, spec, "daemonset", false);
  check_template_labels(causes, spec);
  check_template_spec(causes, "spec", spec);
  check_runs_forever(causes, spec);
  add_if_negative(causes, "spec.", spec, "minReadySeconds");
}

void check_job(Causes& causes, const Json& object) {
  const Json& spec = spec_of(object);
  check_job_spec(causes, "spec", spec);
  if (value_in(spec, "selector") == nullptr) {
    causes.push_back(required_cause("spec.selector"));
  }
  check_template_labels(causes, spec);
  check_template_spec(causes, "spec", spec);
  check_runs_to_end(causes, "spec", spec);
}

void check_cron_job(Causes& causes, const Json& object) {
  constexpr std::size_t kNameMax = 52;  // its jobs add eleven characters
  const Json& spec = spec_of(object);
  const std::string_view schedule = text_in(spec, "schedule");
  if (schedule.empty()) {
    causes.push_back(required_cause("spec.schedule"));
  } else if (const auto parsed = CronSchedule::parse(schedule); !parsed) {
    const auto fields = split_words(schedule);
    const bool is_count = !schedule.starts_with('@') && fields.size() != 5;
    const std::string counted =
        "expected exactly 5 fields, found " + std::to_string(fields.size()) + ": [" + join(fields, " ") + "]";
    causes.push_back(invalid_cause("spec.schedule", schedule, is_count ? counted : parsed.error().message()));
  }
  add_if_negative(causes, "spec.", spec, "startingDeadlineSeconds");
  add_if_unsupported(causes, "spec.", spec, "concurrencyPolicy", {"Allow", "Forbid", "Replace"});
  const Json* const job = object_in(spec, "jobTemplate");
  const Json* const job_spec = job == nullptr ? nullptr : object_in(*job, "spec");
  if (job_spec != nullptr) {
    check_job_spec(causes, "spec.jobTemplate.spec", *job_spec);
    check_template_spec(causes, "spec.jobTemplate.spec", *job_spec);
    check_runs_to_end(causes, "spec.jobTemplate.spec", *job_spec);
  }
  const Json* const metadata = object_in(object, "metadata");
  const std::string_view name = metadata == nullptr ? "" : text_in(*metadata, "name");
  if (name.size() > kNameMax) {
    causes.push_back(invalid_cause("metadata.name", name, "must be no more than 52 characters"));
  }
}

}  // namespace landfall::sandbox
