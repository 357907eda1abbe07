#include "sandbox_kinds/validation.h"

#include <map>

#include "base/quote.h"
#include "json/json.h"
#include "k8s/field_error.h"
#include "k8s/kinds.h"
#include "sandbox_kinds/crd.h"
#include "sandbox_kinds/crd_schema.h"
#include "sandbox_kinds/document_parts.h"
#include "sandbox_kinds/validation_causes.h"
#include "sandbox_kinds/validation_kinds.h"

namespace landfall::sandbox {
namespace {

using json::Json;
using Check = void (*)(Causes&, const Json&);

void check_definition(Causes& causes, const Json& object) {
  const Causes found = validate_crd(object);
  causes.insert(causes.end(), found.begin(), found.end());
}

const std::map<k8s::GroupKind, Check>& checks() {
  static const std::map<k8s::GroupKind, Check> table = {
      {{"", "ConfigMap"}, check_config_map},
      {{"", "Event"}, check_event},
      {{"", "PersistentVolume"}, check_volume},
      {{"", "PersistentVolumeClaim"}, check_claim},
      {{"", "Pod"}, check_pod},
      {{"", "Secret"}, check_secret},
      {{"", "Service"}, check_service},
      {{"apiextensions.k8s.io", "CustomResourceDefinition"}, check_definition},
      {{"apiregistration.k8s.io", "APIService"}, check_api_service},
      {{"apps", "DaemonSet"}, check_daemon_set},
      {{"apps", "Deployment"}, check_deployment},
      {{"apps", "ReplicaSet"}, check_replica_set},
      {{"apps", "StatefulSet"}, check_stateful_set},
      {{"autoscaling", "HorizontalPodAutoscaler"}, check_autoscaler},
      {{"batch", "CronJob"}, check_cron_job},
      {{"batch", "Job"}, check_job},
      {{"coordination.k8s.io", "Lease"}, check_lease},
      {{"networking.k8s.io", "Ingress"}, check_ingress},
      {{"networking.k8s.io", "NetworkPolicy"}, check_network_policy},
      {{"policy", "PodDisruptionBudget"}, check_disruption_budget},
      {{"rbac.authorization.k8s.io", "ClusterRole"}, check_cluster_role},
      {{"rbac.authorization.k8s.io", "ClusterRoleBinding"}, check_cluster_role_binding},
      {{"rbac.authorization.k8s.io", "Role"}, check_role},
      {{"rbac.authorization.k8s.io", "RoleBinding"}, check_role_binding},
      {{"scheduling.k8s.io", "PriorityClass"}, check_priority_class},
      {{"storage.k8s.io", "StorageClass"}, check_storage_class},
  };
  return table;
}

void check_content(Causes& causes, const KindInfo& kind, const Json& object) {
  if (kind.is_custom()) {
    if (kind.schema) {
      const Causes found = kind.schema->validate(object);
      causes.insert(causes.end(), found.begin(), found.end());
    }
    return;
  }
  if (const auto found = checks().find({kind.id.group, kind.kind}); found != checks().end()) {
    found->second(causes, object);
  }
}

// Events of the new API have a time and one of two types.
void check_new_event(Causes& causes, const Json& object) {
  if (value_in(object, "eventTime") == nullptr) {
    causes.push_back(required_cause("eventTime"));
  }
  const std::string type(text_in(object, "type"));
  if (type != "Normal" && type != "Warning") {
    causes.push_back(invalid_cause("type", Json(type), "has invalid value: " + type));
  }
}

// The counts of a deployment's status fit each other.
void check_deployment_status(Causes& causes, const Json& object) {
  const Json* const status = object_in(object, "status");
  if (status == nullptr) {
    return;
  }
  const auto count = [&](std::string_view field) {
    const Json* const value = value_in(*status, field);
    return value != nullptr && value->is_number_integer() ? value->get<std::int64_t>() : 0;
  };
  const std::int64_t all = count("replicas");
  for (const std::string_view field : {"replicas", "updatedReplicas", "readyReplicas", "availableReplicas"}) {
    if (count(field) < 0) {
      causes.push_back(
          invalid_cause("status." + std::string(field), Json(count(field)), "must be greater than or equal to 0"));
    }
  }
  for (const std::string_view field : {"updatedReplicas", "readyReplicas", "availableReplicas"}) {
    if (count(field) > all) {
      causes.push_back(
          invalid_cause("status." + std::string(field), Json(count(field)), "cannot be greater than status.replicas"));
    }
  }
}

}  // namespace

std::string causes_text(const Causes& causes) {
  std::vector<std::string> errors;
  errors.reserve(causes.size());
  for (const Cause& cause : causes) {
    errors.push_back(cause.field.empty() ? cause.message : cause.field + ": " + cause.message);
  }
  return k8s::aggregate(errors);
}

std::string invalid_message(const KindInfo& kind, std::string_view name, const Causes& causes) {
  return k8s::to_string(k8s::GroupKind{kind.id.group, kind.kind}) + " " + quote(name) +
         " is invalid: " + causes_text(causes);
}

Causes validate_create(const KindInfo& kind, const Json& object) {
  Causes causes = validate_metadata(kind, object);
  if (kind.id.group == "events.k8s.io" && kind.kind == "Event") {
    check_new_event(causes, object);
  }
  check_content(causes, kind, object);
  return causes;
}

Causes validate_update(const KindInfo& kind, const Json& old, const Json& next, bool status_subresource) {
  Causes causes;
  check_metadata_update(causes, old, next);
  const Causes metadata = validate_metadata(kind, next);
  causes.insert(causes.end(), metadata.begin(), metadata.end());
  if (status_subresource && !kind.is_custom()) {
    if (kind.id.group == "apps" && kind.kind == "Deployment") {
      check_deployment_status(causes, next);
    }
    return causes;
  }
  check_content(causes, kind, next);
  if (!kind.is_custom()) {
    check_kind_update(causes, kind, old, next);
  }
  return causes;
}

}  // namespace landfall::sandbox
