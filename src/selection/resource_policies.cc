#include "selection/resource_policies.h"

#include <algorithm>

#include "base/strings.h"
#include "json/json.h"
#include "json/yaml.h"
#include "k8s/object_view.h"
#include "selection/filter_policy_reader.h"
#include "selection/policy_node.h"
#include "selection/volume_policy_reader.h"

namespace landfall::selection {
namespace {

constexpr std::string_view kVersion = "v1";
// Well above what fits into a ConfigMap.
constexpr json::YamlLimits kLimits = {
    .max_bytes = std::size_t{2} << 20, .max_depth = 50, .max_alias_bytes = std::size_t{1} << 20};

Status check_lists(const Names& includes, const Names& excludes, std::string_view scope) {
  Messages problems = scoped_list_problems(includes, excludes);
  const auto is_star = [](const std::string& name) { return name == "*"; };
  if (std::ranges::any_of(includes, is_star) || std::ranges::any_of(excludes, is_star)) {
    problems = {"'*' is not allowed in the lists of a policy"};
  }
  if (!problems.empty()) {
    return fail(Code::kInvalid,
                "includeExcludePolicy: " + std::string(scope) + "-scoped resources: " + join(problems, "; "));
  }
  return {};
}

Result<std::optional<ScopedLists>> read_include_exclude(const PolicyNode& root) {
  const json::Json* value = root.find("includeExcludePolicy");
  if (value == nullptr) {
    return std::optional<ScopedLists>();
  }
  TRY_ASSIGN(const PolicyNode node, "",
             PolicyNode::open(*value, "includeExcludePolicy",
                              {"includedClusterScopedResources", "excludedClusterScopedResources",
                               "includedNamespaceScopedResources", "excludedNamespaceScopedResources"}));
  ScopedLists lists;
  TRY_ASSIGN(lists.included_cluster_scoped, "", node.texts("includedClusterScopedResources"));
  TRY_ASSIGN(lists.excluded_cluster_scoped, "", node.texts("excludedClusterScopedResources"));
  TRY_ASSIGN(lists.included_namespace_scoped, "", node.texts("includedNamespaceScopedResources"));
  TRY_ASSIGN(lists.excluded_namespace_scoped, "", node.texts("excludedNamespaceScopedResources"));
  TRY("", check_lists(lists.included_cluster_scoped, lists.excluded_cluster_scoped, "cluster"));
  TRY("", check_lists(lists.included_namespace_scoped, lists.excluded_namespace_scoped, "namespace"));
  return std::optional<ScopedLists>(std::move(lists));
}

Status check_version(const PolicyNode& root) {
  TRY_ASSIGN(const std::string version, "", root.text("version"));
  if (version.empty()) {
    return root.error("version", "missing; write \"version: v1\"");
  }
  if (version != kVersion) {
    return root.error("version", "unknown version " + quote(version) + "; known is v1");
  }
  return {};
}

}  // namespace

Result<ResourcePolicies> parse_resource_policies(std::string_view yaml) {
  TRY_ASSIGN(const json::Json document, "", json::parse_yaml(yaml, kLimits));
  if (document.is_null()) {
    return fail(Code::kInvalid, "the text is empty");
  }
  TRY_ASSIGN(const PolicyNode root, "",
             PolicyNode::open(document, "",
                              {"version", "volumePolicies", "includeExcludePolicy", "clusterScopedFilterPolicy",
                               "namespacedFilterPolicies"}));
  TRY("", check_version(root));
  ResourcePolicies policies;
  TRY_ASSIGN(policies.volumes, "", read_volume_policies(root, policies.warnings));
  TRY_ASSIGN(policies.include_exclude, "", read_include_exclude(root));
  TRY_ASSIGN(policies.filters, "", read_filter_policies(root));
  return policies;
}

Result<ResourcePolicies> read_resource_policies(const json::Json& config_map) {
  const std::string place = "ConfigMap " + k8s::to_string(k8s::ObjectView(config_map).namespaced_name());
  TRY_ASSIGN(const json::StringMap data, place, json::string_map_at(config_map, {"data"}));
  if (data.size() != 1) {
    return fail(Code::kInvalid, place + ": data: must have exactly one key, has " + std::to_string(data.size()));
  }
  TRY_ASSIGN(ResourcePolicies policies, place + ": " + data.begin()->first,
             parse_resource_policies(data.begin()->second));
  return policies;
}

ResourcePolicies merged_policies(const ResourcePolicies* own, const ResourcePolicies* global) {
  ResourcePolicies merged = own == nullptr ? ResourcePolicies() : *own;
  if (global == nullptr) {
    return merged;
  }
  std::vector<VolumePolicy> volumes = global->volumes.policies();
  for (VolumePolicy& policy : volumes) {
    policy.origin = "global " + policy.origin;
  }
  merged.volumes.append(VolumePolicies(std::move(volumes)));
  add_problems(merged.warnings, "global volume policies", global->warnings);
  if (global->include_exclude || !global->filters.empty()) {
    merged.warnings.emplace_back("global volume policies: only volumePolicies hold globally, the other parts do not");
  }
  return merged;
}

Status fit_for_restore(const ResourcePolicies& policies) {
  if (!policies.volumes.empty()) {
    return fail(Code::kInvalid, "volumePolicies are for backups, not for restores");
  }
  if (policies.include_exclude) {
    return fail(Code::kInvalid, "includeExcludePolicy is for backups, not for restores");
  }
  return {};
}

}  // namespace landfall::selection
