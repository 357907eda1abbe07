#include "cli_restore/restore_flags.h"

#include <map>

#include "base/go_duration.h"
#include "base/strings.h"
#include "json/json.h"
#include "selection/restore_filter_spec.h"

namespace landfall::cli {

using json::Json;

namespace {

void add_selection_flags(const Command& command, RestoreFilterFlags& flags) {
  command.flag("--include-namespaces", flags.include_namespaces, "Namespaces of the backup to restore (*)");
  command.flag("--exclude-namespaces", flags.exclude_namespaces, "Namespaces of the backup to leave alone");
  command.list("--namespace-mappings", flags.namespace_mappings, "Restore a namespace into another: FROM:TO,…");
  command.flag("--include-resources", flags.include_resources, "Resources to restore, such as deployments.apps (*)");
  command.flag("--exclude-resources", flags.exclude_resources, "Resources to leave alone");
  command.flag("--include-cluster-resources", flags.include_cluster_resources,
               "Restore resources without a namespace (by default those that others need)");
  add_selector_flags(command, flags.selectors, "Restore");
  command.flag("--resource-policies-configmap", flags.resource_policies_configmap,
               "The ConfigMap with policies that refine the filters");
}

void add_manner_flags(const Command& command, RestoreFilterFlags& flags) {
  command.choice("--existing-resource-policy", flags.existing_resource_policy, {"none", "update"},
                 "What to do with objects that are there and differ (none)");
  command.flag("--status-include-resources", flags.status_include_resources,
               "Resources whose status is restored as well");
  command.flag("--status-exclude-resources", flags.status_exclude_resources,
               "Resources whose status is not restored, of those included");
  command.flag("--restore-volumes", flags.restore_volumes, "Restore volumes from snapshots");
  command.flag("--preserve-nodeports", flags.preserve_nodeports, "Keep the node ports of Services");
  command.flag("--item-operation-timeout", flags.item_operation_timeout,
               "How long operations of plugins may take (the server's)");
  command.flag("--resource-modifier-configmap", flags.resource_modifier_configmap,
               "The ConfigMap with changes to make to objects on their way");
  command.flag("--write-sparse-files", flags.write_sparse_files, "Write files of volumes with holes");
  command.flag("--parallel-files-download", flags.parallel_files_download,
               "Files of a volume that are restored at a time (no effect yet)");
}

// Of two places for a namespace Velero forgets one without a word.
Status put_namespace_mappings(Json& spec, const std::vector<std::string>& mappings, const Context& context) {
  std::map<std::string, std::string> places;
  for (const std::string& mapping : mappings) {
    const auto pair = cut(mapping, ':');
    if (!pair) return fail(Code::kInvalid, "--namespace-mappings: " + quote(mapping) + " is not of the form FROM:TO");
    const std::string from(pair->first);
    const std::string to(pair->second);
    const auto [place, is_new] = places.emplace(from, to);
    if (!is_new && place->second != to && !context.called_as_velero()) {
      return fail(Code::kInvalid, "--namespace-mappings: " + quote(from) + " cannot go to both " +
                                      quote(place->second) + " and " + quote(to) + ": make a restore for each");
    }
    place->second = to;
  }
  if (!places.empty()) spec["namespaceMapping"] = places;
  return {};
}

}  // namespace

void add_restore_filter_flags(const Command& command, RestoreFilterFlags& flags) {
  add_selection_flags(command, flags);
  add_manner_flags(command, flags);
}

Result<Json> restore_spec_of(const RestoreFilterFlags& flags, const Context& context) {
  Json spec = {{"hooks", Json::object()}, {"itemOperationTimeout", format_go_duration(flags.item_operation_timeout)}};
  // Velero sends it, and its server refuses it.
  if (flags.item_operation_timeout < Duration::zero() && !context.called_as_velero()) {
    return fail(Code::kInvalid, "--item-operation-timeout cannot be negative");
  }
  if (flags.parallel_files_download < 0) return fail(Code::kInvalid, "--parallel-files-download cannot be negative");
  put_list(spec, "includedNamespaces", flags.include_namespaces);
  put_list(spec, "excludedNamespaces", flags.exclude_namespaces);
  put_list(spec, "includedResources", flags.include_resources);
  put_list(spec, "excludedResources", flags.exclude_resources);
  TRY("", put_namespace_mappings(spec, flags.namespace_mappings, context));
  TRY("", put_selectors(spec, flags.selectors));
  put_tristate(spec, "includeClusterResources", flags.include_cluster_resources);
  put_tristate(spec, "restorePVs", flags.restore_volumes);
  put_tristate(spec, "preserveNodePorts", flags.preserve_nodeports);
  put_text(spec, "existingResourcePolicy", flags.existing_resource_policy);
  // As with Velero, excluded ones alone say nothing.
  if (!flags.status_include_resources.empty()) {
    spec["restoreStatus"] = {{"includedResources", flags.status_include_resources}};
    put_list(spec["restoreStatus"], "excludedResources", flags.status_exclude_resources);
  }
  if (!flags.resource_modifier_configmap.empty()) {
    spec["resourceModifier"] = {{"apiGroup", ""}, {"kind", "configmap"}, {"name", flags.resource_modifier_configmap}};
  }
  if (!flags.resource_policies_configmap.empty()) {
    spec["resourcePolicy"] = {{"kind", "configmap"}, {"name", flags.resource_policies_configmap}};
  }
  spec["uploaderConfig"] = Json::object();
  put_tristate(spec["uploaderConfig"], "writeSparseFiles", flags.write_sparse_files);
  if (flags.parallel_files_download > 0) {
    spec["uploaderConfig"]["parallelFilesDownload"] = flags.parallel_files_download;
  }
  return spec;
}

Status check_restore_filters(const Json& spec) {
  selection::Messages problems;
  const selection::RestoreFilterSpec filter = selection::read_restore_filter_spec(spec, problems);
  const selection::Messages more = selection::restore_filter_problems(filter, nullptr);
  problems.insert(problems.end(), more.begin(), more.end());
  if (problems.empty()) return {};
  return fail(Code::kInvalid, "the filters cannot be used: " + join(problems, "; "));
}

std::vector<std::string> restore_flags_without_effect(const RestoreFilterFlags& flags) {
  std::vector<std::string> given;
  if (flags.parallel_files_download > 0) given.emplace_back("--parallel-files-download");
  return given;
}

}  // namespace landfall::cli
