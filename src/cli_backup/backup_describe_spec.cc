#include <fmt/format.h>

#include "cli/describe_parts.h"
#include "cli_backup/backup_description.h"
#include "json/access.h"
#include "json/json.h"

namespace landfall::cli {

using json::Json;

namespace {

std::string included_part(const Json& spec, std::string_view what, std::string_view indent) {
  return fmt::format("{0}Included:\t{1}\n{0}Excluded:\t{2}\n", indent,
                     list_or(spec, fmt::format("included{}", what), "*"),
                     list_or(spec, fmt::format("excluded{}", what), "<none>"));
}

std::string resources_part(const Json& spec) {
  if (has_old_filters(spec)) {
    return included_part(spec, "Resources", "\t") +
           fmt::format("\tCluster-scoped:\t{}\n",
                       tristate_text(spec, "includeClusterResources", "excluded", "included", "auto"));
  }
  return fmt::format(
      "\tIncluded cluster-scoped:\t{}\n\tExcluded cluster-scoped:\t{}\n"
      "\tIncluded namespace-scoped:\t{}\n\tExcluded namespace-scoped:\t{}\n",
      list_or(spec, "includedClusterScopedResources", "<none>"),
      list_or(spec, "excludedClusterScopedResources", "<none>"), list_or(spec, "includedNamespaceScopedResources", "*"),
      list_or(spec, "excludedNamespaceScopedResources", "<none>"));
}

std::string commands_part(const Json& hook, std::string_view field, std::string_view name) {
  const Json* commands = json::find(hook, {field});
  if (commands == nullptr || !commands->is_array()) return "";
  std::string part;
  for (const Json& command : *commands) {
    const Json* exec = json::find(command, {"exec"});
    if (exec == nullptr) continue;
    part += fmt::format(
        "\n\t\t\t{} Exec Hook:\n\t\t\t\tContainer:\t{}\n\t\t\t\tCommand:\t{}\n\t\t\t\tOn Error:\t{}\n"
        "\t\t\t\tTimeout:\t{}\n",
        name, text_at(*exec, {"container"}), words_text(*exec, "command"), text_at(*exec, {"onError"}),
        duration_text(*exec, "timeout"));
  }
  return part;
}

std::string hook_part(const Json& hook) {
  std::string part = fmt::format("\t\t{}:\n\t\t\tNamespaces:\n", text_at(hook, {"name"}));
  part += included_part(hook, "Namespaces", "\t\t\t\t");
  part += "\n\t\t\tResources:\n" + included_part(hook, "Resources", "\t\t\t\t");
  part += fmt::format("\n\t\t\tLabel selector:\t{}\n", selector_text(hook));
  return part + commands_part(hook, "pre", "Pre") + commands_part(hook, "post", "Post");
}

std::string hooks_part(const Json& spec) {
  const Json* hooks = json::find(spec, {"hooks", "resources"});
  if (hooks == nullptr || !hooks->is_array() || hooks->empty()) return "Hooks:\t<none>\n";
  std::string part = "Hooks:\n\tResources:\n";
  for (const Json& hook : *hooks) part += hook_part(hook);
  return part;
}

std::string volumes_part(const Json& spec) {
  std::string part =
      fmt::format("Velero-Native Snapshot PVs:\t{}\n", tristate_text(spec, "snapshotVolumes", "false", "true", "auto"));
  if (json::has(spec, {"defaultVolumesToFsBackup"})) {
    part += fmt::format("File System Backup (Default):\t{}\n",
                        tristate_text(spec, "defaultVolumesToFsBackup", "false", "true", ""));
  }
  const std::string mover = text_at(spec, {"datamover"});
  return part + fmt::format("Snapshot Move Data:\t{}\nData Mover:\t{}\n",
                            tristate_text(spec, "snapshotMoveData", "false", "true", "auto"),
                            mover.empty() ? "velero" : mover);
}

// Velero's order is random here; ours is that of the names.
std::string ordered_part(const Json& spec) {
  const Json* ordered = json::find(spec, {"orderedResources"});
  if (ordered == nullptr || !ordered->is_object()) return "";
  std::string part = "\nOrderedResources:\n";
  for (const auto& [kind, names] : ordered->items()) {
    part += fmt::format("\t{}: {}\n", text_at(Json(kind), {}), text_at(names, {}));
  }
  return part;
}

}  // namespace

bool has_old_filters(const Json& spec) {
  const auto is_set = [&](std::string_view field) {
    const Json* list = json::find(spec, {field});
    return list != nullptr && !list->empty();
  };
  return is_set("includedResources") || is_set("excludedResources") || json::has(spec, {"includeClusterResources"});
}

std::string backup_spec_part(const Json& spec) {
  std::string part = "Namespaces:\n" + included_part(spec, "Namespaces", "\t");
  part += "\nResources:\n" + resources_part(spec);
  part += fmt::format("\nLabel selector:\t{}\n\nOr label selector:\t{}\n\nStorage Location:\t{}\n\n",
                      selector_text(spec), or_selectors_text(spec), text_at(spec, {"storageLocation"}));
  part += volumes_part(spec);
  part +=
      fmt::format("\nTTL:\t{}\n\nCSISnapshotTimeout:\t{}\nItemOperationTimeout:\t{}\n\n", duration_text(spec, "ttl"),
                  duration_text(spec, "csiSnapshotTimeout"), duration_text(spec, "itemOperationTimeout"));
  return part + hooks_part(spec) + ordered_part(spec);
}

}  // namespace landfall::cli
