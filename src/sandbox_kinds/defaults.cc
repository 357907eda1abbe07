#include "sandbox_kinds/defaults.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>

#include "json/json.h"
#include "sandbox_kinds/crd_schema.h"
#include "sandbox_kinds/defaults_kinds.h"
#include "sandbox_kinds/document_parts.h"

namespace landfall::sandbox {
namespace {

using json::Json;
using Function = void (*)(Json&);

void nothing_to_do(Json& /*object*/) {}

// By group and kind, without a version: the versions of a kind that differ are told apart in set_defaults().
const std::map<k8s::GroupKind, Function>& functions() {
  static const std::map<k8s::GroupKind, Function> table = {
      {{"", "ConfigMap"}, nothing_to_do},
      {{"", "Endpoints"}, default_endpoints},
      {{"", "Event"}, default_event},
      {{"", "LimitRange"}, default_limit_range},
      {{"", "Namespace"}, nothing_to_do},
      {{"", "Node"}, default_node},
      {{"", "PersistentVolume"}, default_persistent_volume},
      {{"", "PersistentVolumeClaim"}, default_persistent_volume_claim},
      {{"", "Pod"}, default_pod},
      {{"", "PodTemplate"}, default_pod_template_object},
      {{"", "ReplicationController"}, default_replication_controller},
      {{"", "ResourceQuota"}, default_resource_quota},
      {{"", "Secret"}, default_secret},
      {{"", "Service"}, default_service},
      {{"", "ServiceAccount"}, nothing_to_do},
      {{"admissionregistration.k8s.io", "MutatingWebhookConfiguration"}, default_mutating_webhooks},
      {{"admissionregistration.k8s.io", "ValidatingWebhookConfiguration"}, default_validating_webhooks},
      {{"apiextensions.k8s.io", "CustomResourceDefinition"}, default_custom_resource_definition},
      {{"apiregistration.k8s.io", "APIService"}, default_api_service},
      {{"apps", "ControllerRevision"}, nothing_to_do},
      {{"apps", "DaemonSet"}, default_daemon_set},
      {{"apps", "Deployment"}, default_deployment},
      {{"apps", "ReplicaSet"}, default_replica_set},
      {{"apps", "StatefulSet"}, default_stateful_set},
      {{"autoscaling", "HorizontalPodAutoscaler"}, default_autoscaler_v2},
      {{"batch", "CronJob"}, default_cron_job},
      {{"batch", "Job"}, default_job},
      {{"coordination.k8s.io", "Lease"}, nothing_to_do},
      {{"discovery.k8s.io", "EndpointSlice"}, default_endpoint_slice},
      {{"events.k8s.io", "Event"}, default_events_k8s_event},
      {{"flowcontrol.apiserver.k8s.io", "FlowSchema"}, default_flow_schema},
      {{"networking.k8s.io", "Ingress"}, nothing_to_do},
      {{"networking.k8s.io", "IngressClass"}, default_ingress_class},
      {{"networking.k8s.io", "NetworkPolicy"}, default_network_policy},
      {{"policy", "PodDisruptionBudget"}, nothing_to_do},
      {{"rbac.authorization.k8s.io", "ClusterRole"}, default_role},
      {{"rbac.authorization.k8s.io", "ClusterRoleBinding"}, default_role_binding},
      {{"rbac.authorization.k8s.io", "Role"}, default_role},
      {{"rbac.authorization.k8s.io", "RoleBinding"}, default_role_binding},
      {{"scheduling.k8s.io", "PriorityClass"}, default_priority_class},
      {{"storage.k8s.io", "CSIDriver"}, default_csi_driver},
      {{"storage.k8s.io", "CSINode"}, nothing_to_do},
      {{"storage.k8s.io", "CSIStorageCapacity"}, nothing_to_do},
      {{"storage.k8s.io", "StorageClass"}, default_storage_class},
      {{"storage.k8s.io", "VolumeAttachment"}, nothing_to_do},
  };
  return table;
}

bool is_one_of(std::string_view word, const auto& words) { return std::ranges::find(words, word) != words.end(); }

// Maps, not objects with fields of their own: an empty one is nothing.
constexpr std::array<std::string_view, 15> kMaps = {
    "labels", "annotations", "matchLabels", "nodeSelector", "limits", "requests", "capacity",        "allocatable",
    "data",   "binaryData",  "stringData",  "parameters",   "hard",   "overhead", "volumeAttributes"};

// Flags without a third state: false is nothing.
constexpr std::array<std::string_view, 8> kFlags = {"hostNetwork", "hostPID", "hostIPC", "stdin",
                                                    "stdinOnce",   "tty",     "paused",  "publishNotReadyAddresses"};

// Not typed, or not ours: what is in there stays as it was sent.
constexpr std::array<std::string_view, 4> kFree = {"openAPIV3Schema", "managedFields", "raw", "fieldsV1"};

bool is_forgotten(const std::string& key, const Json& value) {
  return value.is_null() || (value.is_array() && value.empty()) ||
         (value.is_object() && value.empty() && is_one_of(key, kMaps)) || (value == false && is_one_of(key, kFlags));
}

// The depth is bounded by the readers of documents (json::kMaxDepth).
void forget_empty(Json& value) {
  if (value.is_array()) {
    for (Json& element : value) {
      forget_empty(element);
    }
    return;
  }
  if (!value.is_object()) {
    return;
  }
  for (auto field = value.begin(); field != value.end();) {
    if (is_one_of(field.key(), kFree)) {
      ++field;
      continue;
    }
    // A map of texts is left alone inside, the empty ones count.
    if (!is_one_of(field.key(), kMaps)) {
      forget_empty(*field);
    }
    field = is_forgotten(field.key(), *field) ? value.erase(field) : std::next(field);
  }
}

// Metadata is typed in every kind.
void tidy_metadata(Json& object) {
  Json* const metadata = make_object(object, "metadata");
  if (metadata == nullptr) {
    return;
  }
  forget_empty(*metadata);
  for (const char* const field : {"name", "generateName", "namespace", "uid", "resourceVersion", "selfLink"}) {
    if (const Json* const value = value_in(*metadata, field); value != nullptr && is_empty_text(*value)) {
      metadata->erase(field);
    }
  }
}

bool is_first_autoscaler(const KindInfo& kind) { return kind.id.group == "autoscaling" && kind.id.version == "v1"; }

}  // namespace

bool is_defaulted(const KindInfo& kind) { return kind.is_custom() || functions().contains({kind.id.group, kind.kind}); }

void set_defaults(const KindInfo& kind, Json& object) {
  if (!object.is_object()) {
    return;
  }
  tidy_metadata(object);
  if (kind.is_custom()) {
    if (kind.schema) {
      kind.schema->set_defaults(object);
    }
    return;
  }
  if (kind.kind != "ControllerRevision") {  // its data is any document
    forget_empty(object);
  }
  if (is_first_autoscaler(kind)) {
    default_autoscaler_v1(object);
  } else if (const auto found = functions().find({kind.id.group, kind.kind}); found != functions().end()) {
    found->second(object);
  }
}

}  // namespace landfall::sandbox
