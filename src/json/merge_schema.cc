#include "json/merge_schema.h"

#include <algorithm>
#include <array>

namespace landfall::json {
namespace {

struct Row {
  std::string_view type;
  std::string_view field;
  MergeRule rule;
};

constexpr MergeRule into(std::string_view type) { return {.type = type}; }
constexpr MergeRule by(std::string_view merge_key, std::string_view type = "") {
  return {.strategy = MergeRule::Strategy::kMerge, .merge_key = merge_key, .type = type};
}
constexpr MergeRule as_set() { return {.strategy = MergeRule::Strategy::kMerge}; }
constexpr MergeRule replaced() { return {.strategy = MergeRule::Strategy::kReplace}; }

// What the API types of Kubernetes 1.34 declare and a patch can reach: lists that are replaced hide what is below them
// (the statuses of containers, the versions of a CRD). "Conditions" stands for every status whose only rule they are.
// The versions of a kind differ only where the older one is no longer served.
constexpr auto kRows = std::to_array<Row>({
    {"APIService", "status", into("Conditions")},
    {"CSINode", "spec", into("CSINodeSpec")},
    {"CSINodeSpec", "drivers", by("name")},
    {"ComponentStatus", "conditions", by("type")},
    {"Conditions", "conditions", by("type")},
    {"Container", "env", by("name")},
    {"Container", "ports", by("containerPort")},
    {"Container", "volumeDevices", by("devicePath")},
    {"Container", "volumeMounts", by("mountPath")},
    {"CronJob", "spec", into("CronJobSpec")},
    {"CronJobSpec", "jobTemplate", into("JobTemplate")},
    {"DaemonSet", "spec", into("WithTemplate")},
    {"DaemonSet", "status", into("Conditions")},
    {"Deployment", "spec", into("WithTemplate")},
    {"Deployment", "status", into("Conditions")},
    {"EphemeralSource", "volumeClaimTemplate", into("WithMetadata")},
    {"FlowSchema", "status", into("Conditions")},
    {"HorizontalPodAutoscaler", "status", into("Conditions")},
    {"Job", "spec", into("WithTemplate")},
    {"Job", "status", into("Conditions")},
    {"JobTemplate", "spec", into("WithTemplate")},
    {"MutatingAdmissionPolicy", "spec", into("AdmissionPolicySpec")},
    {"AdmissionPolicySpec", "matchConditions", by("name")},
    {"MutatingWebhookConfiguration", "webhooks", by("name", "Webhook")},
    {"Namespace", "status", into("Conditions")},
    {"Node", "spec", into("NodeSpec")},
    {"Node", "status", into("NodeStatus")},
    {"NodeSpec", "podCIDRs", as_set()},
    {"NodeStatus", "addresses", by("type")},
    {"NodeStatus", "conditions", by("type")},
    {"ObjectMeta", "finalizers", as_set()},
    {"ObjectMeta", "ownerReferences", by("uid")},
    {"PersistentVolumeClaim", "status", into("Conditions")},
    {"Pod", "spec", into("PodSpec")},
    {"Pod", "status", into("PodStatus")},
    {"PodCertificateRequest", "status", into("Conditions")},
    {"PodDisruptionBudget", "spec", into("PodDisruptionBudgetSpec")},
    {"PodDisruptionBudget", "status", into("Conditions")},
    {"PodDisruptionBudgetSpec", "selector", replaced()},
    {"PodSpec", "containers", by("name", "Container")},
    {"PodSpec", "ephemeralContainers", by("name", "Container")},
    {"PodSpec", "hostAliases", by("ip")},
    {"PodSpec", "imagePullSecrets", by("name")},
    {"PodSpec", "initContainers", by("name", "Container")},
    {"PodSpec", "resourceClaims", by("name")},
    {"PodSpec", "schedulingGates", by("name")},
    {"PodSpec", "topologySpreadConstraints", by("topologyKey")},
    {"PodSpec", "volumes", by("name", "Volume")},
    {"PodStatus", "conditions", by("type")},
    {"PodStatus", "hostIPs", by("ip")},
    {"PodStatus", "podIPs", by("ip")},
    {"PodStatus", "resourceClaimStatuses", by("name")},
    {"PodStatusResult", "status", into("PodStatus")},
    {"PodTemplate", "template", into("PodTemplateSpec")},
    {"PodTemplateSpec", "spec", into("PodSpec")},
    {"PriorityLevelConfiguration", "status", into("Conditions")},
    {"ReplicaSet", "spec", into("WithTemplate")},
    {"ReplicaSet", "status", into("Conditions")},
    {"ReplicationController", "spec", into("WithTemplate")},
    {"ReplicationController", "status", into("Conditions")},
    {"ResourceClaim", "status", into("ResourceClaimStatus")},
    {"ResourceClaimStatus", "reservedFor", by("uid")},
    {"ResourceClaimTemplate", "spec", into("WithMetadata")},
    {"Service", "spec", into("ServiceSpec")},
    {"Service", "status", into("Conditions")},
    {"ServiceAccount", "secrets", by("name")},
    {"ServiceCIDR", "status", into("Conditions")},
    {"ServiceSpec", "ports", by("port")},
    {"StatefulSet", "spec", into("WithTemplate")},
    {"StatefulSet", "status", into("Conditions")},
    {"StorageVersionMigration", "status", into("Conditions")},
    {"ValidatingAdmissionPolicy", "spec", into("ValidatingAdmissionPolicySpec")},
    {"ValidatingAdmissionPolicySpec", "matchConditions", by("name")},
    {"ValidatingAdmissionPolicySpec", "variables", by("name")},
    {"ValidatingWebhookConfiguration", "webhooks", by("name", "Webhook")},
    {"Volume", "ephemeral", into("EphemeralSource")},
    {"Webhook", "matchConditions", by("name")},
    {"WithTemplate", "template", into("PodTemplateSpec")},
});

// Types below a kind that have no metadata of their own.
constexpr auto kWithoutMetadata = std::to_array<std::string_view>({
    "AdmissionPolicySpec",
    "CSINodeSpec",
    "Conditions",
    "Container",
    "CronJobSpec",
    "EphemeralSource",
    "NodeSpec",
    "NodeStatus",
    "ObjectMeta",
    "PodDisruptionBudgetSpec",
    "PodSpec",
    "PodStatus",
    "ResourceClaimStatus",
    "ServiceSpec",
    "ValidatingAdmissionPolicySpec",
    "Volume",
    "Webhook",
    "WithTemplate",
});

constexpr auto kGroups = std::to_array<std::string_view>({
    "",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "apps",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "coordination.k8s.io",
    "discovery.k8s.io",
    "events.k8s.io",
    "extensions",
    "flowcontrol.apiserver.k8s.io",
    "internal.apiserver.k8s.io",
    "networking.k8s.io",
    "node.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "resource.k8s.io",
    "scheduling.k8s.io",
    "storage.k8s.io",
    "storagemigration.k8s.io",
});

}  // namespace

MergeRule merge_rule(std::string_view type, std::string_view field) {
  if (type.empty()) return {};
  const auto* row =
      std::find_if(kRows.begin(), kRows.end(), [&](const Row& r) { return r.type == type && r.field == field; });
  if (row != kRows.end()) return row->rule;
  const bool has_metadata = std::find(kWithoutMetadata.begin(), kWithoutMetadata.end(), type) == kWithoutMetadata.end();
  if (field == "metadata" && has_metadata) return into("ObjectMeta");
  return {};
}

bool is_built_in_group(std::string_view group) {
  return std::find(kGroups.begin(), kGroups.end(), group) != kGroups.end();
}

}  // namespace landfall::json
