#include "selection/volume_policy_reader.h"

#include <algorithm>

#include "base/strings.h"
#include "json/json.h"

namespace landfall::selection {
namespace {

// Velero takes any text in these places, so a policy that it takes must pass; one that can never match is worth a word.
void warn_of_unknown(Messages& warnings, const std::string& place, const Names& values, const Names& known) {
  const auto is_unknown = [&](const std::string& value) { return std::ranges::find(known, value) == known.end(); };
  if (const auto first = std::ranges::find_if(values, is_unknown); first != values.end()) {
    warnings.push_back(place + ": " + quote(*first) + " is not known and matches no volume; known are " +
                       join(known, ", "));
  }
}

Result<std::optional<VolumeConditions::Nfs>> read_nfs(const PolicyNode& conditions) {
  const json::Json* value = conditions.find("nfs");
  if (value == nullptr) {
    return std::optional<VolumeConditions::Nfs>();
  }
  TRY_ASSIGN(const PolicyNode node, "", PolicyNode::open(*value, conditions.path_to("nfs"), {"server", "path"}));
  VolumeConditions::Nfs nfs;
  TRY_ASSIGN(nfs.server, "", node.text("server"));
  TRY_ASSIGN(nfs.path, "", node.text("path"));
  return std::optional<VolumeConditions::Nfs>(std::move(nfs));
}

Result<std::optional<VolumeConditions::Csi>> read_csi(const PolicyNode& conditions) {
  const json::Json* value = conditions.find("csi");
  if (value == nullptr) {
    return std::optional<VolumeConditions::Csi>();
  }
  TRY_ASSIGN(const PolicyNode node, "",
             PolicyNode::open(*value, conditions.path_to("csi"), {"driver", "volumeAttributes"}));
  VolumeConditions::Csi csi;
  TRY_ASSIGN(csi.driver, "", node.text("driver"));
  TRY_ASSIGN(csi.attributes, "", node.text_map("volumeAttributes"));
  if (csi.driver.empty() && node.find("volumeAttributes") != nullptr) {
    return node.error("volumeAttributes", "cannot be given without a driver");
  }
  return std::optional<VolumeConditions::Csi>(std::move(csi));
}

Result<VolumeConditions> read_conditions(const PolicyNode& node, Messages& warnings) {
  VolumeConditions conditions;
  TRY_ASSIGN(const std::string capacity, "", node.text("capacity"));
  TRY_ASSIGN(conditions.capacity, node.path_to("capacity"), CapacityRange::parse(capacity));
  TRY_ASSIGN(conditions.storage_classes, "", node.texts("storageClass"));
  TRY_ASSIGN(conditions.nfs, "", read_nfs(node));
  TRY_ASSIGN(conditions.csi, "", read_csi(node));
  TRY_ASSIGN(conditions.types, "", node.texts("volumeTypes"));
  TRY_ASSIGN(conditions.claim_labels, "", node.text_map("pvcLabels"));
  TRY_ASSIGN(conditions.claim_phases, "", node.texts("pvcPhase"));
  TRY_ASSIGN(conditions.claim_volume_mode, "", node.text("pvcVolumeMode"));
  TRY_ASSIGN(conditions.claim_access_modes, "", node.texts("pvcAccessModes"));
  warn_of_unknown(warnings, node.path_to("volumeTypes"), conditions.types, known_volume_types());
  warn_of_unknown(warnings, node.path_to("pvcPhase"), conditions.claim_phases, {"Pending", "Bound", "Lost"});
  return conditions;
}

Status read_action(const PolicyNode& policy, VolumePolicy& read) {
  const json::Json none;
  const json::Json* value = policy.find("action");
  TRY_ASSIGN(const PolicyNode node, "",
             PolicyNode::open(value == nullptr ? none : *value, policy.path_to("action"), {"type", "parameters"}));
  TRY_ASSIGN(const std::string type, "", node.text("type"));
  const auto action = parse_volume_action(type);
  if (!action) {
    return node.error("type", (type.empty() ? "missing" : "unknown action " + quote(type)) +
                                  "; known are skip, fs-backup, snapshot, custom");
  }
  read.action = *action;
  if (const json::Json* parameters = node.find("parameters")) {
    if (!parameters->is_object()) {
      return node.error("parameters", "expected an object, got " + std::string(json::type_name(*parameters)));
    }
    read.parameters = std::make_shared<const json::Json>(*parameters);
  }
  return {};
}

}  // namespace

Result<VolumePolicies> read_volume_policies(const PolicyNode& root, Messages& warnings) {
  TRY_ASSIGN(const auto written, "", root.list("volumePolicies"));
  std::vector<VolumePolicy> policies;
  for (const json::Json* one : written) {
    VolumePolicy policy;
    policy.origin = element(root.path_to("volumePolicies"), policies.size());
    TRY_ASSIGN(const PolicyNode node, "", PolicyNode::open(*one, policy.origin, {"conditions", "action"}));
    if (const json::Json* conditions = node.find("conditions")) {
      TRY_ASSIGN(const PolicyNode inner, "",
                 PolicyNode::open(*conditions, node.path_to("conditions"),
                                  {"capacity", "storageClass", "nfs", "csi", "volumeTypes", "pvcLabels", "pvcPhase",
                                   "pvcVolumeMode", "pvcAccessModes"}));
      TRY_ASSIGN(policy.conditions, "", read_conditions(inner, warnings));
    }
    TRY("", read_action(node, policy));
    policies.push_back(std::move(policy));
  }
  return VolumePolicies(std::move(policies));
}

}  // namespace landfall::selection
