#include <array>
#include <map>
#include <string>
#include <string_view>

#include "base/quantity.h"
#include "json/json.h"
#include "k8s/kinds.h"
#include "sandbox_kinds/document_parts.h"
#include "sandbox_kinds/validation_causes.h"
#include "sandbox_kinds/validation_kinds.h"

// What may not change once an object is there.
namespace landfall::sandbox {
namespace {

using json::Json;
using Check = void (*)(Causes&, const Json&, const Json&);

const Json& spec_of(const Json& object) {
  static const Json nothing = Json::object();
  const Json* const spec = object_in(object, "spec");
  return spec == nullptr ? nothing : *spec;
}

bool differ(const Json& old, const Json& next, std::string_view key) {
  const Json* const before = value_in(old, key);
  const Json* const after = value_in(next, key);
  return before == nullptr || after == nullptr ? before != after : *before != *after;
}

void keep_spec_fields(Causes& causes, const Json& old, const Json& next, std::initializer_list<const char*> fields) {
  for (const char* const field : fields) {
    add_if_changed(causes, std::string("spec.") + field, value_in(spec_of(old), field), value_in(spec_of(next), field));
  }
}

void keep_if_immutable(Causes& causes, const Json& old, const Json& next, std::initializer_list<const char*> fields) {
  if (!is_true_in(old, "immutable")) {
    return;
  }
  constexpr std::string_view kDetail = "field is immutable when `immutable` is set";
  if (!is_true_in(next, "immutable")) {
    causes.push_back(forbidden_cause("immutable", kDetail));
  }
  for (const char* const field : fields) {
    if (differ(old, next, field)) {
      causes.push_back(forbidden_cause(field, kDetail));
    }
  }
}

void update_config_map(Causes& causes, const Json& old, const Json& next) {
  keep_if_immutable(causes, old, next, {"data", "binaryData"});
}

void update_secret(Causes& causes, const Json& old, const Json& next) {
  add_if_changed(causes, "type", value_in(old, "type"), value_in(next, "type"));
  keep_if_immutable(causes, old, next, {"data"});
}

void update_selector(Causes& causes, const Json& old, const Json& next) {
  keep_spec_fields(causes, old, next, {"selector"});
}

void update_job(Causes& causes, const Json& old, const Json& next) {
  // A suspended job that has not started may still move to other nodes; we allow any change of the template then.
  const bool may_move = is_true_in(spec_of(old), "suspend");
  keep_spec_fields(causes, old, next, {"selector", "completionMode"});
  if (text_in(spec_of(next), "completionMode") != "Indexed") {
    keep_spec_fields(causes, old, next, {"completions"});
  }
  if (!may_move) {
    keep_spec_fields(causes, old, next, {"template"});
  }
}

void update_stateful_set(Causes& causes, const Json& old, const Json& next) {
  Json before = spec_of(old);
  Json after = spec_of(next);
  for (const char* const field : {"replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit",
                                  "persistentVolumeClaimRetentionPolicy", "minReadySeconds"}) {
    before.erase(field);
    after.erase(field);
  }
  if (before != after) {
    causes.push_back(forbidden_cause(
        "spec",
        "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', "
        "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"));
  }
}

std::size_t count_of(const Json& spec, std::string_view list) {
  const Json* const value = value_in(spec, list);
  return value == nullptr || !value->is_array() ? 0 : value->size();
}

// Tolerations may be added, but what was tolerated stays so.
bool keeps_tolerations(const Json& old_spec, const Json& spec) {
  bool keeps = true;
  each_object(old_spec, "tolerations", [&](const Json& before) {
    bool found = false;
    each_object(spec, "tolerations", [&](const Json& after) { found = found || after == before; });
    keeps = keeps && found;
  });
  return keeps;
}

void update_pod(Causes& causes, const Json& old, const Json& next) {
  Json before = spec_of(old);
  Json after = spec_of(next);
  for (const char* const list : {"containers", "initContainers"}) {
    if (count_of(before, list) != count_of(after, list)) {
      causes.push_back(forbidden_cause(std::string("spec.") + list, "pod updates may not add or remove containers"));
      return;
    }
    each_object(before, list, [](Json& container) { container.erase("image"); });
    each_object(after, list, [](Json& container) { container.erase("image"); });
  }
  const bool keeps = keeps_tolerations(before, after);
  for (const char* const field : {"tolerations", "activeDeadlineSeconds"}) {
    before.erase(field);
    after.erase(field);
  }
  // Gates may go, none may come; a pod that waits for them may be told where to run.
  if (value_in(before, "schedulingGates") != nullptr) {
    for (const char* const field : {"schedulingGates", "nodeSelector", "affinity"}) {
      before.erase(field);
      after.erase(field);
    }
  }
  if (before != after || !keeps) {
    causes.push_back(forbidden_cause(
        "spec",
        "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
        "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
        "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"));
  }
}

// A claim is bound to a volume once; after that it may grow.
void update_claim(Causes& causes, const Json& old, const Json& next) {
  Json before = spec_of(old);
  Json after = spec_of(next);
  if (text_in(before, "volumeName").empty()) {
    before.erase("volumeName");
    after.erase("volumeName");
  }
  // A class may be given to a claim that has none.
  if (value_in(before, "storageClassName") == nullptr) {
    after.erase("storageClassName");
  }
  const Json* const status = object_in(old, "status");
  if (status != nullptr && text_in(*status, "phase") == "Bound") {
    before.erase("resources");
    after.erase("resources");
    before.erase("volumeAttributesClassName");
    after.erase("volumeAttributesClassName");
  }
  if (before != after) {
    causes.push_back(forbidden_cause(
        "spec",
        "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"));
  }
}

void update_volume(Causes& causes, const Json& old, const Json& next) {
  Json before = spec_of(old);
  Json after = spec_of(next);
  for (const char* const field : {"accessModes", "capacity", "claimRef", "mountOptions", "nodeAffinity", "volumeMode",
                                  "storageClassName", "persistentVolumeReclaimPolicy", "volumeAttributesClassName"}) {
    before.erase(field);
    after.erase(field);
  }
  if (before != after) {
    causes.push_back(
        forbidden_cause("spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation"));
  }
  add_if_changed(causes, "volumeMode", value_in(spec_of(old), "volumeMode"), value_in(spec_of(next), "volumeMode"));
}

void update_service(Causes& causes, const Json& old, const Json& next) {
  const Json& before = spec_of(old);
  const Json& after = spec_of(next);
  const bool both_have_one = text_in(before, "type") != "ExternalName" && text_in(after, "type") != "ExternalName";
  if (!both_have_one || text_in(before, "clusterIP").empty() ||
      text_in(before, "clusterIP") == text_in(after, "clusterIP")) {
    return;
  }
  causes.push_back(
      invalid_cause("spec.clusterIPs[0]", Json::array({text_in(after, "clusterIP")}), "may not change once set"));
}

void update_binding(Causes& causes, const Json& old, const Json& next) {
  if (differ(old, next, "roleRef")) {
    const Json* const role = object_in(next, "roleRef");
    const Json nothing = Json::object();
    const Json& shown = role == nullptr ? nothing : *role;
    causes.push_back(invalid_cause(
        "roleRef",
        {{"APIGroup", text_in(shown, "apiGroup")}, {"Kind", text_in(shown, "kind")}, {"Name", text_in(shown, "name")}},
        "cannot change roleRef"));
  }
}

void update_storage_class(Causes& causes, const Json& old, const Json& next) {
  for (const char* const field : {"parameters", "provisioner", "reclaimPolicy"}) {
    if (differ(old, next, field)) {
      causes.push_back(forbidden_cause(field, std::string("updates to ") + field + " are forbidden."));
    }
  }
  add_if_changed(causes, "volumeBindingMode", value_in(old, "volumeBindingMode"), value_in(next, "volumeBindingMode"));
}

void update_priority_class(Causes& causes, const Json& old, const Json& next) {
  if (differ(old, next, "value")) {
    causes.push_back(forbidden_cause("value", "may not be changed in an update."));
  }
  add_if_changed(causes, "preemptionPolicy", value_in(old, "preemptionPolicy"), value_in(next, "preemptionPolicy"));
}

void update_node(Causes& causes, const Json& old, const Json& next) {
  if (!text_in(spec_of(old), "podCIDR").empty() && differ(spec_of(old), spec_of(next), "podCIDR")) {
    causes.push_back(forbidden_cause("spec.podCIDRs", "node updates may not change podCIDR except from \"\" to valid"));
  }
}

void update_definition(Causes& causes, const Json& old, const Json& next) {
  const Json* const status = object_in(old, "status");
  bool is_established = false;
  if (status != nullptr) {
    each_object(*status, "conditions", [&](const Json& condition) {
      is_established =
          is_established || (text_in(condition, "type") == "Established" && text_in(condition, "status") == "True");
    });
  }
  if (!is_established) {
    return;
  }
  keep_spec_fields(causes, old, next, {"group", "scope"});
  const Json* const names = object_in(spec_of(old), "names");
  const Json* const next_names = object_in(spec_of(next), "names");
  if (names != nullptr && next_names != nullptr) {
    for (const char* const field : {"kind", "plural"}) {
      add_if_changed(causes, std::string("spec.names.") + field, value_in(*names, field), value_in(*next_names, field));
    }
  }
}

const std::map<k8s::GroupKind, Check>& checks() {
  static const std::map<k8s::GroupKind, Check> table = {
      {{"", "ConfigMap"}, update_config_map},
      {{"", "Node"}, update_node},
      {{"", "PersistentVolume"}, update_volume},
      {{"", "PersistentVolumeClaim"}, update_claim},
      {{"", "Pod"}, update_pod},
      {{"", "Secret"}, update_secret},
      {{"", "Service"}, update_service},
      {{"apiextensions.k8s.io", "CustomResourceDefinition"}, update_definition},
      {{"apps", "DaemonSet"}, update_selector},
      {{"apps", "Deployment"}, update_selector},
      {{"apps", "ReplicaSet"}, update_selector},
      {{"apps", "StatefulSet"}, update_stateful_set},
      {{"batch", "Job"}, update_job},
      {{"rbac.authorization.k8s.io", "ClusterRoleBinding"}, update_binding},
      {{"rbac.authorization.k8s.io", "RoleBinding"}, update_binding},
      {{"scheduling.k8s.io", "PriorityClass"}, update_priority_class},
      {{"storage.k8s.io", "StorageClass"}, update_storage_class},
  };
  return table;
}

}  // namespace

void check_kind_update(Causes& causes, const KindInfo& kind, const Json& old, const Json& next) {
  if (const auto found = checks().find({kind.id.group, kind.kind}); found != checks().end()) {
    found->second(causes, old, next);
  }
}

}  // namespace landfall::sandbox
