#include "api/status.h"
#include "cli/describe_json.h"
#include "cli/describe_parts.h"
#include "cli/describe_plugin_volumes.h"
#include "cli/describe_pod_volumes.h"
#include "cli_backup/backup_description.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::cli {

using json::Json;

namespace {

Json commands_of(const Json& hook, std::string_view field) {
  Json all = Json::array();
  const Json* commands = json::find(hook, {field});
  if (commands == nullptr || !commands->is_array()) return all;
  for (const Json& command : *commands) {
    const Json* exec = json::find(command, {"exec"});
    if (exec == nullptr) continue;
    // The colon is Velero's.
    all.push_back({{"container", raw_text(*exec, {"container"})},
                   {"command", words_text(*exec, "command")},
                   {"onError:", raw_text(*exec, {"onError"})},
                   {"timeout", duration_text(*exec, "timeout")}});
  }
  return all;
}

Json hooks_of(const Json& hooks) {
  Json resources = Json::object();
  for (const Json& hook : hooks) {
    resources[raw_text(hook, {"name"})] = {{"namespaces", included_document(hook, "Namespaces")},
                                           {"resources", included_document(hook, "Resources")},
                                           {"labelSelector", selector_text(hook)},
                                           {"preExecHook", commands_of(hook, "pre")},
                                           {"postExecHook", commands_of(hook, "post")}};
  }
  return {{"resources", std::move(resources)}};
}

// The filters by scope are not in Velero's document.
Json spec_document(const Json& spec) {
  Json resources = included_document(spec, "Resources");
  resources["clusterScoped"] = tristate_text(spec, "includeClusterResources", "excluded", "included", "auto");
  const std::string mover = raw_text(spec, {"datamover"});
  Json document = {{"namespaces", included_document(spec, "Namespaces")},
                   {"resources", std::move(resources)},
                   {"labelSelector", selector_text(spec)},
                   {"storageLocation", raw_text(spec, {"storageLocation"})},
                   {"veleroNativeSnapshotPVs", tristate_text(spec, "snapshotVolumes", "false", "true", "auto")},
                   {"veleroSnapshotMoveData", tristate_text(spec, "snapshotMoveData", "false", "true", "auto")},
                   {"dataMover", mover.empty() ? "<none>" : mover},
                   {"TTL", duration_text(spec, "ttl")},
                   {"CSISnapshotTimeout", duration_text(spec, "csiSnapshotTimeout")}};
  const Json* hooks = json::find(spec, {"hooks", "resources"});
  if (hooks != nullptr && hooks->is_array() && !hooks->empty()) document["hooks"] = hooks_of(*hooks);
  if (json::has(spec, {"orderedResources"})) document["orderedResources"] = spec.at("orderedResources");
  return document;
}

Json native_document(const BackupDescription& what) {
  if (what.volumes.native.empty()) return "<none included>";
  Json document = Json::object();
  for (const Json& info : what.volumes.native) {
    const auto native = [&](std::string_view field) { return raw_text(info, {"nativeSnapshotInfo", field}); };
    Json& one = document[raw_text(info, {"pvName"})];
    one = "specify --details for more information";
    if (!what.details) continue;
    one = {{"snapshotID", native("snapshotHandle")},
           {"type", native("volumeType")},
           {"availabilityZone", native("volumeAZ")},
           {"IOPS", native("iops")},
           {"result", raw_text(info, {"result"})}};
  }
  return document;
}

Json local_document(const Json& info) {
  const auto csi = [&](std::string_view field) { return raw_text(info, {"csiSnapshotInfo", field}); };
  Json document = {{"snapshotContentName", csi("vscName")},
                   {"storageSnapshotID", csi("snapshotHandle")},
                   {"snapshotSize(bytes)", json::int_or(info, {"csiSnapshotInfo", "size"}, 0)},
                   {"csiDriver", csi("driver")},
                   {"result", raw_text(info, {"result"})}};
  if (!json::bool_or(info, {"snapshotDataMoved"}, false)) document["operationID"] = csi("operationID");
  return document;
}

Json moved_document(const Json& info) {
  const auto moved = [&](std::string_view field) { return raw_text(info, {"snapshotDataMovementInfo", field}); };
  const auto size = json::int_or(info, {"snapshotDataMovementInfo", "size"}, 0);
  const auto incremental = json::int_or(info, {"snapshotDataMovementInfo", "incrementalSize"}, 0);
  const std::string mover = moved("dataMover");
  Json document = {{"operationID", moved("operationID")},
                   {"dataMover", mover.empty() ? "velero" : mover},
                   {"uploaderType", moved("uploaderType")},
                   {"result", raw_text(info, {"result"})}};
  if (size > 0 || incremental > 0) {
    document["size"] = size;
    document["incrementalSize"] = incremental;
  }
  return document;
}

Json csi_document(const BackupDescription& what) {
  if (what.volumes.csi.empty()) {
    return what.volumes.is_legacy ? "<none included or not detectable>" : "<none included>";
  }
  const Json brief = "included, specify --details for more information";
  Json document = Json::object();
  for (const Json& info : what.volumes.csi) {
    Json one = Json::object();
    if (json::bool_or(info, {"preserveLocalSnapshot"}, false)) {
      one["snapshot"] = what.details ? local_document(info) : brief;
    }
    if (json::bool_or(info, {"snapshotDataMoved"}, false)) {
      one["dataMovement"] = what.details ? moved_document(info) : brief;
    }
    document[raw_text(info, {"pvcNamespace"}) + "/" + raw_text(info, {"pvcName"})] = std::move(one);
  }
  return document;
}

Json pod_volumes_of(const BackupDescription& what) {
  if (what.pod_volume_backups.empty()) return "<none included>";
  // The spelling is Velero's.
  return {{"uploderType", raw_text(what.pod_volume_backups.front(), {"spec", "uploaderType"})},
          {"podVolumeBackupsDetails",
           pod_volumes_document(pod_volumes_by_phase(what.pod_volume_backups, kPodVolumeBackupPhases), what.details)}};
}

void add_counts(const Json& backup, Json& document) {
  if (!json::has(backup, {"status", "progress"})) return;
  const bool runs = api::phase_of<api::BackupPhase>(backup) == api::BackupPhase::kInProgress;
  document[runs ? "estimatedTotalItemsToBeBackedUp" : "totalItemsToBeBackedUp"] =
      json::int_or(backup, {"status", "progress", "totalItems"}, 0);
  document[runs ? "itemsBackedUpSoFar" : "itemsBackedUp"] =
      json::int_or(backup, {"status", "progress", "itemsBackedUp"}, 0);
}

Json status_document(const BackupDescription& what) {
  const Json& backup = what.backup;
  const auto time = [&](std::string_view field, std::string_view none) {
    return time_or(api::status_time(backup, field), none);
  };
  Json document = {{"backupFormatVersion", raw_text(backup, {"status", "formatVersion"})},
                   {"started", time(api::field::kStartTimestamp, "<n/a>")},
                   {"completed", time(api::field::kCompletionTimestamp, "<n/a>")},
                   {"expiration", time(api::field::kExpiration, "<nil>")}};
  add_counts(backup, document);
  add_resource_list("backup", what.resource_list, document);
  // Velero's document has no volumes at all where they are not known.
  if (what.volumes.error.empty()) {
    document["backupVolumes"] = {{"nativeSnapshots", native_document(what)},
                                 {"csiSnapshots", csi_document(what)},
                                 {"podVolumeBackups", pod_volumes_of(what)}};
    if (!what.volume_plugin_backups.empty()) {
      document["backupVolumes"]["volumePluginBackups"] = plugin_volumes_document(what.volume_plugin_backups);
    }
  }
  if (json::has(backup, {"status", "hookStatus"})) {
    document["hooksAttempted"] = json::int_or(backup, {"status", "hookStatus", "hooksAttempted"}, 0);
    document["hooksFailed"] = json::int_or(backup, {"status", "hookStatus", "hooksFailed"}, 0);
  }
  return document;
}

Json deletions_document(const std::vector<Json>& requests) {
  Json all = Json::array();
  for (const Json& request : requests) {
    Json one = {{"creationTimestamp", time_or(k8s::ObjectView(request).creation_timestamp(), "<nil>")},
                {"phase", raw_text(request, {"status", "phase"})}};
    const Json* errors = json::find(request, {"status", "errors"});
    if (errors != nullptr && !errors->empty()) one["errors"] = *errors;
    all.push_back(std::move(one));
  }
  Json document = {{"deleteBackupRequests", std::move(all)}};
  if (const std::size_t failed = failed_deletions(requests); failed > 0) document["failed"] = failed;
  return document;
}

}  // namespace

std::string describe_backup_as_json(const BackupDescription& what) {
  const Json& backup = what.backup;
  Json document = {{"metadata", metadata_document(backup)},
                   {"phase", api::status_text(backup, api::field::kPhase)},
                   {"spec", spec_document(spec_of(backup))},
                   {"status", status_document(what)}};
  if (json::has(backup, {"spec", "resourcePolicy"})) {
    document["resourcePolicies"] = {{"type", raw_text(backup, {"spec", "resourcePolicy", "kind"})},
                                    {"name", raw_text(backup, {"spec", "resourcePolicy", "name"})}};
  }
  if (const std::string name = global_policies_of(backup); !name.empty()) {
    document["globalVolumePolicies"] = {{"type", "configmap"}, {"name", name}};
  }
  add_validation_errors(backup, document);
  add_results(backup, what.results, document);
  if (!what.delete_requests.empty()) document["deletionAttempts"] = deletions_document(what.delete_requests);
  return description_text(document);
}

}  // namespace landfall::cli
