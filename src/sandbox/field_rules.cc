#include "sandbox/field_rules.h"

#include <algorithm>
#include <array>

#include "sandbox_kinds/crd_schema.h"

namespace landfall::sandbox {
namespace {

using Type = FieldRule::Type;

// What Kubernetes 1.34 declares, by the field and the one above it (empty: any). The first row that fits counts.
struct Row {
  std::string_view parent;
  std::string_view field;
  Type type;
  std::array<std::string_view, 2> keys{};
  std::string_view kind{};  // empty: any
};

constexpr auto kLists = std::to_array<Row>({
    {"metadata", "finalizers", Type::kSet},
    {"metadata", "ownerReferences", Type::kMap, {"uid"}},
    {"status", "conditions", Type::kAtomic, {}, "Job"},
    {"status", "conditions", Type::kMap, {"type"}},
    {"", "conditions", Type::kMap, {"type"}, "ComponentStatus"},
    {"spec", "containers", Type::kMap, {"name"}},
    {"spec", "initContainers", Type::kMap, {"name"}},
    {"spec", "ephemeralContainers", Type::kMap, {"name"}},
    {"spec", "hostAliases", Type::kMap, {"ip"}},
    {"spec", "imagePullSecrets", Type::kMap, {"name"}},
    {"spec", "resourceClaims", Type::kMap, {"name"}},
    {"spec", "schedulingGates", Type::kMap, {"name"}},
    {"spec", "topologySpreadConstraints", Type::kMap, {"topologyKey", "whenUnsatisfiable"}},
    {"spec", "volumes", Type::kMap, {"name"}},
    {"containers", "env", Type::kMap, {"name"}},
    {"containers", "ports", Type::kMap, {"containerPort", "protocol"}},
    {"containers", "volumeDevices", Type::kMap, {"devicePath"}},
    {"containers", "volumeMounts", Type::kMap, {"mountPath"}},
    {"initContainers", "env", Type::kMap, {"name"}},
    {"initContainers", "ports", Type::kMap, {"containerPort", "protocol"}},
    {"initContainers", "volumeDevices", Type::kMap, {"devicePath"}},
    {"initContainers", "volumeMounts", Type::kMap, {"mountPath"}},
    {"ephemeralContainers", "env", Type::kMap, {"name"}},
    {"ephemeralContainers", "volumeMounts", Type::kMap, {"mountPath"}},
    {"resources", "claims", Type::kMap, {"name"}},
    {"status", "podIPs", Type::kMap, {"ip"}},
    {"status", "addresses", Type::kMap, {"type"}, "Node"},
    {"spec", "podCIDRs", Type::kSet, {}, "Node"},
    {"spec", "ports", Type::kMap, {"port", "protocol"}, "Service"},
    {"", "secrets", Type::kMap, {"name"}, "ServiceAccount"},
    {"spec", "drivers", Type::kMap, {"name"}, "CSINode"},
    {"spec", "volumeLifecycleModes", Type::kSet, {}, "CSIDriver"},
    {"", "webhooks", Type::kMap, {"name"}},
    {"webhooks", "matchConditions", Type::kMap, {"name"}},
    {"spec", "matchConditions", Type::kMap, {"name"}},
    {"spec", "variables", Type::kMap, {"name"}},
    {"spec", "validationActions", Type::kSet},
    {"endpoints", "addresses", Type::kSet, {}, "EndpointSlice"},
    {"uncountedTerminatedPods", "failed", Type::kSet},
    {"uncountedTerminatedPods", "succeeded", Type::kSet},
    {"status", "reservedFor", Type::kMap, {"uid"}, "ResourceClaim"},
});

// Objects that are replaced as a whole, wherever they stand.
constexpr auto kAtomicObjects = std::to_array<std::string_view>({
    "selector",         "labelSelector",
    "podSelector",      "namespaceSelector",
    "nodeSelector",     "configMapKeyRef",
    "secretKeyRef",     "fieldRef",
    "resourceFieldRef", "scaleTargetRef",
    "roleRef",          "dataSource",
    "involvedObject",   "secretRef",
    "configMapRef",     "objectSelector",
    "scopeSelector",    "matchConstraints",
    "paramKind",        "paramRef",
    "targetRef",        "localObjectReference",
    "fileKeyRef",       "regarding",
    "related",          "requiredDuringSchedulingIgnoredDuringExecution",
});

// Parts of Go structs that are no pointers and therefore always there.
constexpr auto kAlwaysThere = std::to_array<std::string_view>({
    "metadata",    "spec",           "status",       "template",  "strategy",         "updateStrategy",  "containers",
    "jobTemplate", "resources",      "loadBalancer", "nodeInfo",  "daemonEndpoints",  "kubeletEndpoint", "clientConfig",
    "names",       "involvedObject", "source",       "regarding", "deprecatedSource", "podSelector",
});

bool fits(const Row& row, const KindInfo& kind, std::string_view parent, std::string_view field) {
  if (row.field != field || (!row.kind.empty() && row.kind != kind.kind)) return false;
  return row.parent.empty() ? parent.empty() : row.parent == parent;
}

// References are replaced as a whole, also where they stand in a list with keys.
bool has_atomic_items(std::string_view field) {
  return field == "ownerReferences" || field == "secrets" || field == "imagePullSecrets";
}

// What differs from the common rules in a single kind.
void adjust(const KindInfo& kind, std::span<const std::string> path, FieldRule& rule) {
  const std::string_view field = path.back();
  if (kind.kind == "ReplicationController" && path.size() > 1 && path[1] == "template") rule.always_there = false;
  if (kind.kind == "CSINode" && field == "drivers") rule.always_there = true;
  if (kind.kind == "CustomResourceDefinition" && field == "conditions") rule.always_there = true;
  if (kind.kind == "ControllerRevision" && field == "data") rule.type = Type::kAtomic;
  if (kind.kind == "Ingress" && field == "port") rule.type = Type::kAtomic;
}

FieldRule built_in_rule(const KindInfo& kind, std::span<const std::string> path, bool is_list) {
  const std::string_view field = path.back();
  const std::string_view parent = path.size() > 1 ? std::string_view(path[path.size() - 2]) : std::string_view();
  FieldRule rule{.type = is_list ? Type::kAtomic : Type::kGranular};
  rule.always_there = std::ranges::find(kAlwaysThere, field) != kAlwaysThere.end() && parent != "labels" &&
                      parent != "annotations" && parent != "data";
  if (field == "resources") rule.always_there = parent == "spec";  // of a claim; those of a container come with it
  if (!is_list) {
    if (std::ranges::find(kAtomicObjects, field) != kAtomicObjects.end()) rule.type = Type::kAtomic;
    if (field == "required" && parent == "nodeAffinity") rule.type = Type::kAtomic;
    if (field == "scaleTargetRef" && kind.id.version == "v2") rule = {.type = Type::kGranular, .always_there = true};
    adjust(kind, path, rule);
    return rule;
  }
  const auto row = std::ranges::find_if(kLists, [&](const Row& r) { return fits(r, kind, parent, field); });
  if (row == kLists.end()) return rule;
  rule.type = row->type;
  rule.has_atomic_items = has_atomic_items(field);
  adjust(kind, path, rule);
  for (const std::string_view key : row->keys) {
    if (!key.empty()) rule.keys.emplace_back(key);
  }
  return rule;
}

}  // namespace

FieldRule field_rule(const KindInfo& kind, std::span<const std::string> path, bool is_list) {
  if (path.empty()) return {};
  if (!kind.is_custom() || path.front() == "metadata") return built_in_rule(kind, path, is_list);
  if (!kind.schema) return {.type = is_list ? Type::kAtomic : Type::kGranular};
  const std::vector<std::string> keys(path.begin(), path.end());
  if (!is_list) return {.type = kind.schema->is_atomic_map(keys) ? Type::kAtomic : Type::kGranular};
  const CrdSchema::ListRule list = kind.schema->list_rule(keys);
  FieldRule rule{.type = Type::kAtomic};
  if (list.type == CrdSchema::ListRule::Type::kSet) rule.type = Type::kSet;
  if (list.type == CrdSchema::ListRule::Type::kMap) {
    rule.type = Type::kMap;
    rule.keys = list.keys;
  }
  return rule;
}

}  // namespace landfall::sandbox
