#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/encoding.h"
#include "base/strings.h"
#include "sandbox_kinds/kind_info.h"

namespace landfall::sandbox {
namespace {

enum class Scope { kNamespaced, kCluster };

// What a kind is like beyond its names. Combined with |.
enum Trait : unsigned {
  kPlain = 0,
  kGeneration = 1U << 0,    // metadata.generation
  kCreateOnly = 1U << 1,    // sent and answered, never stored
  kReadOnly = 1U << 2,      // computed by the server
  kNoCollection = 1U << 3,  // no deletecollection
};

struct Row {
  std::string_view plural;
  std::string_view kind;
  Scope scope;
  std::string_view short_names;  // separated by spaces, as are the two below
  std::string_view categories;
  std::string_view subresources;
  unsigned traits;
};

struct Group {
  std::string_view group;
  std::string_view version;
  std::vector<Row> rows;
};

// clang-format off
const std::vector<Group>& table() {
  using enum Scope;
  static const std::vector<Group> groups = {
      {"", "v1", {
          {"bindings", "Binding", kNamespaced, "", "", "", kCreateOnly},
          {"componentstatuses", "ComponentStatus", kCluster, "cs", "", "", kReadOnly},
          {"configmaps", "ConfigMap", kNamespaced, "cm", "", "", kPlain},
          {"endpoints", "Endpoints", kNamespaced, "ep", "", "", kPlain},
          {"events", "Event", kNamespaced, "ev", "", "", kPlain},
          {"limitranges", "LimitRange", kNamespaced, "limits", "", "", kPlain},
          {"namespaces", "Namespace", kCluster, "ns", "", "finalize status", kNoCollection},
          {"nodes", "Node", kCluster, "no", "", "proxy status", kPlain},
          {"persistentvolumeclaims", "PersistentVolumeClaim", kNamespaced, "pvc", "", "status", kPlain},
          {"persistentvolumes", "PersistentVolume", kCluster, "pv", "", "status", kPlain},
          {"pods", "Pod", kNamespaced, "po", "all",
           "attach binding ephemeralcontainers eviction exec log portforward proxy resize status", kGeneration},
          {"podtemplates", "PodTemplate", kNamespaced, "", "", "", kGeneration},
          {"replicationcontrollers", "ReplicationController", kNamespaced, "rc", "all", "scale status", kGeneration},
          {"resourcequotas", "ResourceQuota", kNamespaced, "quota", "", "status", kPlain},
          {"secrets", "Secret", kNamespaced, "", "", "", kPlain},
          {"serviceaccounts", "ServiceAccount", kNamespaced, "sa", "", "token", kPlain},
          {"services", "Service", kNamespaced, "svc", "all", "proxy status", kPlain},
      }},
      {"apiregistration.k8s.io", "v1", {
          {"apiservices", "APIService", kCluster, "", "api-extensions", "status", kPlain},
      }},
      {"apps", "v1", {
          {"controllerrevisions", "ControllerRevision", kNamespaced, "", "", "", kPlain},
          {"daemonsets", "DaemonSet", kNamespaced, "ds", "all", "status", kGeneration},
          {"deployments", "Deployment", kNamespaced, "deploy", "all", "scale status", kGeneration},
          {"replicasets", "ReplicaSet", kNamespaced, "rs", "all", "scale status", kGeneration},
          {"statefulsets", "StatefulSet", kNamespaced, "sts", "all", "scale status", kGeneration},
      }},
      {"events.k8s.io", "v1", {
          {"events", "Event", kNamespaced, "ev", "", "", kPlain},
      }},
      {"authentication.k8s.io", "v1", {
          {"selfsubjectreviews", "SelfSubjectReview", kCluster, "", "", "", kCreateOnly},
          {"tokenreviews", "TokenReview", kCluster, "", "", "", kCreateOnly},
      }},
      {"authorization.k8s.io", "v1", {
          {"localsubjectaccessreviews", "LocalSubjectAccessReview", kNamespaced, "", "", "", kCreateOnly},
          {"selfsubjectaccessreviews", "SelfSubjectAccessReview", kCluster, "", "", "", kCreateOnly},
          {"selfsubjectrulesreviews", "SelfSubjectRulesReview", kCluster, "", "", "", kCreateOnly},
          {"subjectaccessreviews", "SubjectAccessReview", kCluster, "", "", "", kCreateOnly},
      }},
      {"autoscaling", "v2", {
          {"horizontalpodautoscalers", "HorizontalPodAutoscaler", kNamespaced, "hpa", "all", "status", kPlain},
      }},
      {"autoscaling", "v1", {
          {"horizontalpodautoscalers", "HorizontalPodAutoscaler", kNamespaced, "hpa", "all", "status", kPlain},
      }},
      {"batch", "v1", {
          {"cronjobs", "CronJob", kNamespaced, "cj", "all", "status", kGeneration},
          {"jobs", "Job", kNamespaced, "", "all", "status", kGeneration},
      }},
      {"certificates.k8s.io", "v1", {
          {"certificatesigningrequests", "CertificateSigningRequest", kCluster, "csr", "", "approval status", kPlain},
      }},
      {"networking.k8s.io", "v1", {
          {"ingressclasses", "IngressClass", kCluster, "", "", "", kGeneration},
          {"ingresses", "Ingress", kNamespaced, "ing", "", "status", kGeneration},
          {"ipaddresses", "IPAddress", kCluster, "ip", "", "", kPlain},
          {"networkpolicies", "NetworkPolicy", kNamespaced, "netpol", "", "", kGeneration},
          {"servicecidrs", "ServiceCIDR", kCluster, "", "", "status", kPlain},
      }},
      {"policy", "v1", {
          {"poddisruptionbudgets", "PodDisruptionBudget", kNamespaced, "pdb", "", "status", kGeneration},
      }},
      {"rbac.authorization.k8s.io", "v1", {
          {"clusterrolebindings", "ClusterRoleBinding", kCluster, "", "", "", kPlain},
          {"clusterroles", "ClusterRole", kCluster, "", "", "", kPlain},
          {"rolebindings", "RoleBinding", kNamespaced, "", "", "", kPlain},
          {"roles", "Role", kNamespaced, "", "", "", kPlain},
      }},
      {"storage.k8s.io", "v1", {
          {"csidrivers", "CSIDriver", kCluster, "", "", "", kPlain},
          {"csinodes", "CSINode", kCluster, "", "", "", kPlain},
          {"csistoragecapacities", "CSIStorageCapacity", kNamespaced, "", "", "", kPlain},
          {"storageclasses", "StorageClass", kCluster, "sc", "", "", kPlain},
          {"volumeattachments", "VolumeAttachment", kCluster, "", "", "status", kPlain},
          {"volumeattributesclasses", "VolumeAttributesClass", kCluster, "vac", "", "", kPlain},
      }},
      {"admissionregistration.k8s.io", "v1", {
          {"mutatingwebhookconfigurations", "MutatingWebhookConfiguration", kCluster, "", "api-extensions", "", kGeneration},
          {"validatingadmissionpolicies", "ValidatingAdmissionPolicy", kCluster, "", "api-extensions", "status", kGeneration},
          {"validatingadmissionpolicybindings", "ValidatingAdmissionPolicyBinding", kCluster, "", "api-extensions", "", kGeneration},
          {"validatingwebhookconfigurations", "ValidatingWebhookConfiguration", kCluster, "", "api-extensions", "", kGeneration},
      }},
      {"apiextensions.k8s.io", "v1", {
          {"customresourcedefinitions", "CustomResourceDefinition", kCluster, "crd crds", "api-extensions", "status", kGeneration},
      }},
      {"scheduling.k8s.io", "v1", {
          {"priorityclasses", "PriorityClass", kCluster, "pc", "", "", kGeneration},
      }},
      {"coordination.k8s.io", "v1", {
          {"leases", "Lease", kNamespaced, "", "", "", kPlain},
      }},
      {"node.k8s.io", "v1", {
          {"runtimeclasses", "RuntimeClass", kCluster, "", "", "", kPlain},
      }},
      {"discovery.k8s.io", "v1", {
          {"endpointslices", "EndpointSlice", kNamespaced, "", "", "", kGeneration},
      }},
      {"resource.k8s.io", "v1", {
          {"deviceclasses", "DeviceClass", kCluster, "", "", "", kGeneration},
          {"resourceclaims", "ResourceClaim", kNamespaced, "", "", "status", kPlain},
          {"resourceclaimtemplates", "ResourceClaimTemplate", kNamespaced, "", "", "", kPlain},
          {"resourceslices", "ResourceSlice", kCluster, "", "", "", kGeneration},
      }},
      {"flowcontrol.apiserver.k8s.io", "v1", {
          {"flowschemas", "FlowSchema", kCluster, "", "", "status", kGeneration},
          {"prioritylevelconfigurations", "PriorityLevelConfiguration", kCluster, "", "", "status", kGeneration},
      }},
  };
  return groups;
}

struct SubresourceRow {
  std::string_view name;
  std::string_view kind;   // empty: that of the resource
  std::string_view group;
  std::string_view version;
  std::string_view verbs;  // separated by spaces
};

constexpr std::array kSubresources = {
    SubresourceRow{"approval", "", "", "", "get patch update"},
    SubresourceRow{"attach", "PodAttachOptions", "", "", "create get"},
    SubresourceRow{"binding", "Binding", "", "", "create"},
    SubresourceRow{"ephemeralcontainers", "", "", "", "get patch update"},
    SubresourceRow{"eviction", "Eviction", "policy", "v1", "create"},
    SubresourceRow{"exec", "PodExecOptions", "", "", "create get"},
    SubresourceRow{"finalize", "", "", "", "update"},
    SubresourceRow{"log", "", "", "", "get"},
    SubresourceRow{"portforward", "PodPortForwardOptions", "", "", "create get"},
    SubresourceRow{"proxy", "ProxyOptions", "", "", "create delete get patch update"},
    SubresourceRow{"resize", "", "", "", "get patch update"},
    SubresourceRow{"scale", "Scale", "autoscaling", "v1", "get patch update"},
    SubresourceRow{"status", "", "", "", "get patch update"},
    SubresourceRow{"token", "TokenRequest", "authentication.k8s.io", "v1", "create"},
};
// clang-format on

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out;
  for (const std::string_view word : split_words(text)) {
    out.emplace_back(word);
  }
  return out;
}

std::string_view verbs_of(unsigned traits) {
  if ((traits & kCreateOnly) != 0) {
    return "create";
  }
  if ((traits & kReadOnly) != 0) {
    return "get list";
  }
  if ((traits & kNoCollection) != 0) {
    return "create delete get list patch update watch";
  }
  return "create delete deletecollection get list patch update watch";
}

// A server of this version still writes some kinds in an older form, so that the one before it could read them.
std::string_view stored_version(const Group& group, const Row& row) {
  if (group.group == "autoscaling") {
    return "v2";
  }
  if (group.group == "resource.k8s.io") {
    return "v1beta2";
  }
  if (group.group == "apiextensions.k8s.io" || row.kind == "VolumeAttributesClass") {
    return "v1beta1";
  }
  return group.version;
}

KindInfo kind_from(const Group& group, const Row& row) {
  KindInfo info;
  info.id = {std::string(group.group), std::string(group.version), std::string(row.plural)};
  info.kind = row.kind;
  info.list_kind = info.kind + "List";
  info.singular = to_lower(row.kind);
  info.is_namespaced = row.scope == Scope::kNamespaced;
  info.verbs = words(verbs_of(row.traits));
  info.short_names = words(row.short_names);
  info.categories = words(row.categories);
  info.subresources = words(row.subresources);
  // Both groups of events show the same objects, which live in the core group.
  const std::string_view home = group.group == "events.k8s.io" ? "" : group.group;
  info.storage = {std::string(home), info.id.resource};
  if ((row.traits & (kCreateOnly | kReadOnly)) == 0) {
    info.storage_kind = {std::string(home), std::string(stored_version(group, row)), info.kind};
  }
  info.has_status = has_subresource(info, "status");
  info.has_generation = (row.traits & kGeneration) != 0;
  return info;
}

}  // namespace

const std::vector<KindInfo>& built_in_kinds() {
  static const std::vector<KindInfo> kinds = [] {
    std::vector<KindInfo> all;
    for (const Group& group : table()) {
      for (const Row& row : group.rows) {
        all.push_back(kind_from(group, row));
      }
    }
    return all;
  }();
  return kinds;
}

SubresourceInfo subresource_info(const KindInfo& kind, std::string_view subresource) {
  SubresourceInfo info{.name = std::string(subresource), .kind = kind.kind};
  const auto* const row = std::ranges::find(kSubresources, subresource, &SubresourceRow::name);
  if (row == kSubresources.end()) {
    return info;
  }
  if (subresource == "proxy") {
    info.kind = kind.kind + std::string(row->kind);
  } else if (!row->kind.empty()) {
    info.kind = row->kind;
  }
  info.group = row->group;
  info.version = row->version;
  info.verbs = words(row->verbs);
  return info;
}

std::string storage_version_hash(const KindInfo& kind) {
  constexpr std::size_t kHashBytes = 8;
  if (!kind.is_stored()) {
    return {};
  }
  const auto& stored = kind.storage_kind;
  const std::string digest = sha256_hex(stored.group + "/" + stored.version + "/" + stored.kind);
  return base64_encode(hex_decode(digest.substr(0, 2 * kHashBytes)).value_or(""));
}

bool has_verb(const KindInfo& kind, std::string_view verb) {
  return std::ranges::find(kind.verbs, verb) != kind.verbs.end();
}

bool has_subresource(const KindInfo& kind, std::string_view subresource) {
  return std::ranges::find(kind.subresources, subresource) != kind.subresources.end();
}

}  // namespace landfall::sandbox
