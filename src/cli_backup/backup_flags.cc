#include "cli_backup/backup_flags.h"

#include <utility>

#include "base/go_duration.h"
#include "base/strings.h"
#include "cli/find_objects.h"
#include "json/json.h"
#include "selection/backup_filter_spec.h"
#include "selection/list_rules.h"
#include "selection/ordered_resources.h"

namespace landfall::cli {

using json::Json;

namespace {

void add_filter_flags(const Command& command, BackupFlags& flags) {
  command.flag("--include-namespaces", flags.include_namespaces, "Namespaces to back up; globs are fine (*)");
  command.flag("--exclude-namespaces", flags.exclude_namespaces, "Namespaces to leave out");
  command.flag("--include-resources", flags.include_resources,
               "Resources to back up, such as deployments.apps (*); not together with those of one scope");
  command.flag("--exclude-resources", flags.exclude_resources,
               "Resources to leave out; not together with those of one scope");
  command.flag("--include-cluster-resources", flags.include_cluster_resources,
               "Back up resources without a namespace (by default those that others need); not together with those of "
               "one scope");
  command.flag("--include-cluster-scoped-resources", flags.include_cluster_scoped_resources,
               "Resources without a namespace to back up");
  command.flag("--exclude-cluster-scoped-resources", flags.exclude_cluster_scoped_resources,
               "Resources without a namespace to leave out");
  command.flag("--include-namespace-scoped-resources", flags.include_namespace_scoped_resources,
               "Resources of namespaces to back up");
  command.flag("--exclude-namespace-scoped-resources", flags.exclude_namespace_scoped_resources,
               "Resources of namespaces to leave out");
  add_selector_flags(command, flags.selectors, "Back up");
  command.flag("--ordered-resources", flags.ordered_resources,
               "What to back up first, in order: 'pods=ns/a,ns/b;persistentvolumes=x'");
  command.flag("--resource-policies-configmap", flags.resource_policies_configmap,
               "The ConfigMap with policies for resources and volumes");
}

void add_volume_flags(const Command& command, BackupFlags& flags) {
  command.flag("--snapshot-volumes", flags.snapshot_volumes, "Take snapshots of volumes");
  command.flag("--snapshot-move-data", flags.snapshot_move_data,
               "Move data of snapshots to the bucket (no effect yet)");
  command.flag("--default-volumes-to-fs-backup", flags.default_volumes_to_fs_backup,
               "Back up files of pods' volumes unless told otherwise");
  command.list("--volume-snapshot-locations", flags.volume_snapshot_locations,
               "Where snapshots are kept, one for each provider");
  command.flag("--data-mover", flags.data_mover, "Who moves data of snapshots (no effect yet)");
  command.flag("--csi-snapshot-timeout", flags.csi_snapshot_timeout,
               "How long a CSI snapshot may take (no effect yet)");
  command.flag("--parallel-files-upload", flags.parallel_files_upload,
               "Files of a volume that are uploaded at a time (no effect yet)");
}

Status check_numbers(const BackupFlags& flags) {
  const auto refuse_negative = [](bool is_negative, const std::string& flag) -> Status {
    if (is_negative) return fail(Code::kInvalid, flag + " cannot be negative");
    return {};
  };
  TRY("", refuse_negative(flags.ttl < Duration::zero(), "--ttl"));
  TRY("", refuse_negative(flags.item_operation_timeout < Duration::zero(), "--item-operation-timeout"));
  TRY("", refuse_negative(flags.csi_snapshot_timeout < Duration::zero(), "--csi-snapshot-timeout"));
  return refuse_negative(flags.parallel_files_upload < 0, "--parallel-files-upload");
}

bool mixes_filters(const BackupFlags& flags) {
  const bool has_old = !flags.include_resources.empty() || !flags.exclude_resources.empty() ||
                       flags.include_cluster_resources.has_value();
  const bool has_new =
      !flags.include_cluster_scoped_resources.empty() || !flags.exclude_cluster_scoped_resources.empty() ||
      !flags.include_namespace_scoped_resources.empty() || !flags.exclude_namespace_scoped_resources.empty();
  return has_old && has_new;
}

}  // namespace

void add_backup_flags(const Command& command, BackupFlags& flags, const std::string& noun) {
  add_filter_flags(command, flags);
  command.flag("--storage-location", flags.storage_location, "The location to store it in (the default one)");
  command.flag("--ttl", flags.ttl, "How long it is kept, such as 720h (the server's)");
  command.flag("--item-operation-timeout", flags.item_operation_timeout,
               "How long operations of plugins may take (the server's)");
  add_volume_flags(command, flags);
  command.flag("--labels", flags.labels, "Labels of the " + noun);
  command.flag("--annotations", flags.annotations, "Annotations of the " + noun);
}

Result<Json> backup_spec_of(const BackupFlags& flags) {
  Json spec = {{"metadata", Json::object()},
               {"hooks", Json::object()},
               {"ttl", format_go_duration(flags.ttl)},
               {"csiSnapshotTimeout", format_go_duration(flags.csi_snapshot_timeout)},
               {"itemOperationTimeout", format_go_duration(flags.item_operation_timeout)}};
  put_list(spec, "includedNamespaces", flags.include_namespaces);
  put_list(spec, "excludedNamespaces", flags.exclude_namespaces);
  put_list(spec, "includedResources", flags.include_resources);
  put_list(spec, "excludedResources", flags.exclude_resources);
  put_tristate(spec, "includeClusterResources", flags.include_cluster_resources);
  put_list(spec, "includedClusterScopedResources", flags.include_cluster_scoped_resources);
  put_list(spec, "excludedClusterScopedResources", flags.exclude_cluster_scoped_resources);
  put_list(spec, "includedNamespaceScopedResources", flags.include_namespace_scoped_resources);
  put_list(spec, "excludedNamespaceScopedResources", flags.exclude_namespace_scoped_resources);
  TRY("", put_selectors(spec, flags.selectors));
  TRY_ASSIGN(const json::StringMap order, "--ordered-resources",
             selection::parse_ordered_resources(flags.ordered_resources));
  if (!order.empty()) spec["orderedResources"] = order;
  if (!flags.resource_policies_configmap.empty()) {
    spec["resourcePolicy"] = {{"kind", "configmap"}, {"name", flags.resource_policies_configmap}};
  }
  put_text(spec, "storageLocation", flags.storage_location);
  put_list(spec, "volumeSnapshotLocations", flags.volume_snapshot_locations);
  put_tristate(spec, "snapshotVolumes", flags.snapshot_volumes);
  put_tristate(spec, "snapshotMoveData", flags.snapshot_move_data);
  put_tristate(spec, "defaultVolumesToFsBackup", flags.default_volumes_to_fs_backup);
  put_text(spec, "datamover", flags.data_mover);
  if (flags.parallel_files_upload > 0) {
    spec["uploaderConfig"] = {{"parallelFilesUpload", flags.parallel_files_upload}};
  }
  return spec;
}

Status check_backup_spec(const BackupFlags& flags, const Json& spec, const Context& context) {
  selection::Messages problems = selection::namespace_list_problems(flags.include_namespaces, flags.exclude_namespaces);
  if (mixes_filters(flags)) {
    problems.emplace_back(
        "--include-resources, --exclude-resources and --include-cluster-resources cannot be used together with the "
        "filters of one scope (--include-cluster-scoped-resources and so on): use either");
  }
  if (problems.empty() && !context.called_as_velero()) {
    TRY("", check_numbers(flags));
    const selection::BackupFilterSpec filter = selection::read_backup_filter_spec(spec, problems);
    for (std::string& one : selection::backup_filter_problems(filter, nullptr, {})) problems.push_back(std::move(one));
  }
  if (problems.empty()) return {};
  return fail(Code::kInvalid, "the filters cannot be used: " + join(problems, "; "));
}

Status check_backup_locations(const BackupFlags& flags, kube::Client& client, const std::string& name_space,
                              const Context& context) {
  if (!flags.storage_location.empty()) {
    const ObjectFinder locations(client, kBackupLocations, name_space, context);
    TRY_ASSIGN(const Json found, "--storage-location", locations.one(flags.storage_location));
  }
  const ObjectFinder locations(client, kSnapshotLocations, name_space, context);
  for (const std::string& name : flags.volume_snapshot_locations) {
    TRY_ASSIGN(const Json found, "--volume-snapshot-locations", locations.one(name));
  }
  return {};
}

std::vector<std::string> backup_flags_without_effect(const BackupFlags& flags) {
  std::vector<std::string> given;
  const auto note = [&](bool is_given, const char* flag) {
    if (is_given) given.emplace_back(flag);
  };
  note(flags.snapshot_move_data.value_or(false), "--snapshot-move-data");
  note(!flags.data_mover.empty(), "--data-mover");
  note(flags.csi_snapshot_timeout != Duration::zero(), "--csi-snapshot-timeout");
  note(flags.parallel_files_upload > 0, "--parallel-files-upload");
  return given;
}

}  // namespace landfall::cli
