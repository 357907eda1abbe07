#include "api/backup.h"

#include "base/go_duration.h"
#include "json/json.h"

namespace landfall::api {

using json::Json;

namespace {

void read_filters(FieldReader& spec, BackupSpec& result) {
  result.included_namespaces = spec.texts("includedNamespaces");
  result.excluded_namespaces = spec.texts("excludedNamespaces");
  result.included_resources = spec.texts("includedResources");
  result.excluded_resources = spec.texts("excludedResources");
  result.include_cluster_resources = spec.tristate("includeClusterResources");
  result.included_cluster_resources = spec.texts("includedClusterScopedResources");
  result.excluded_cluster_resources = spec.texts("excludedClusterScopedResources");
  result.included_namespaced_resources = spec.texts("includedNamespaceScopedResources");
  result.excluded_namespaced_resources = spec.texts("excludedNamespaceScopedResources");
  result.selector = spec.selector("labelSelector");
  result.or_selectors = spec.selectors("orLabelSelectors");
  result.ordered_resources = spec.map("orderedResources");
  result.resource_policy = spec.reference("resourcePolicy");
}

void read_volumes(FieldReader& spec, BackupSpec& result) {
  result.snapshot_locations = spec.texts("volumeSnapshotLocations");
  result.snapshot_volumes = spec.tristate("snapshotVolumes");
  result.snapshot_move_data = spec.tristate("snapshotMoveData");
  result.volumes_to_fs_backup = spec.tristate("defaultVolumesToFsBackup");
  result.volumes_to_restic = spec.tristate("defaultVolumesToRestic");
  result.data_mover = spec.text("datamover");
  result.volume_group_label = spec.text("volumeGroupSnapshotLabelKey");
  result.parallel_files_upload = spec.child("uploaderConfig").number("parallelFilesUpload");
}

Result<BackupSpec> read_spec(const Json& document, const json::Path& path) {
  std::vector<std::string> problems;
  FieldReader spec(document, path, problems);
  BackupSpec result;
  result.labels = spec.child("metadata").map("labels");
  read_filters(spec, result);
  read_volumes(spec, result);
  result.hooks = read_backup_hooks(spec);
  result.storage_location = spec.text("storageLocation");
  result.ttl = spec.duration("ttl").value_or(Duration::zero());
  result.csi_snapshot_timeout = spec.duration("csiSnapshotTimeout").value_or(Duration::zero());
  result.item_operation_timeout = spec.duration("itemOperationTimeout").value_or(Duration::zero());
  result.cancel = spec.flag("cancel");
  TRY("", no_problems(std::move(problems)));
  return result;
}

Status set_spec(Json& backup, std::string_view field, Json value) {
  return json::set_at(backup, {"spec", field}, std::move(value));
}

}  // namespace

bool BackupSpec::uses_old_filters() const {
  return include_cluster_resources || !included_resources.empty() || !excluded_resources.empty();
}

bool BackupSpec::uses_new_filters() const {
  return !included_cluster_resources.empty() || !excluded_cluster_resources.empty() ||
         !included_namespaced_resources.empty() || !excluded_namespaced_resources.empty();
}

Result<BackupSpec> read_backup_spec(const Json& backup) { return read_spec(backup, {"spec"}); }

Result<BackupSpec> read_backup_template(const Json& schedule) { return read_spec(schedule, {"spec", "template"}); }

Status apply_backup_defaults(Json& backup, const BackupSpec& spec, const BackupDefaults& defaults) {
  const auto set_duration = [&](std::string_view field, Duration now, Duration fallback) -> Status {
    return now != Duration::zero() ? Status() : set_spec(backup, field, format_go_duration(fallback));
  };
  TRY("", set_duration("ttl", spec.ttl, defaults.ttl));
  TRY("", set_duration("csiSnapshotTimeout", spec.csi_snapshot_timeout, defaults.csi_snapshot_timeout));
  TRY("", set_duration("itemOperationTimeout", spec.item_operation_timeout, defaults.item_operation_timeout));
  if (spec.included_namespaces.empty()) TRY("", set_spec(backup, "includedNamespaces", Json::array({"*"})));
  if (spec.volume_group_label.empty()) {
    TRY("", set_spec(backup, "volumeGroupSnapshotLabelKey", defaults.volume_group_label));
  }
  if (!spec.snapshot_move_data) TRY("", set_spec(backup, "snapshotMoveData", defaults.snapshot_move_data));
  // The older name, set to true, wins over the newer one whatever that says.
  if (spec.volumes_to_restic.value_or(false)) return set_spec(backup, "defaultVolumesToFsBackup", true);
  if (spec.volumes_to_fs_backup) return {};
  return set_spec(backup, "defaultVolumesToFsBackup", defaults.volumes_to_fs_backup);
}

}  // namespace landfall::api
