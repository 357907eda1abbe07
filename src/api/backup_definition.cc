#include "api/definition.h"
#include "api/phases.h"
#include "api/schema_parts.h"

namespace landfall::api {
namespace {

// Named pods' commands, before and after their volumes are saved.
Schema hooks() {
  const Schema exec = object({
      {"command", texts().at_least(1).required()},
      {"container", text()},
      {"onError", hook_error_mode()},
      {"timeout", duration()},
  });
  const Schema steps = list_of(object({{"exec", exec.required()}}));
  const Schema resource = object(hook_filters()).with({{"pre", steps}, {"post", steps}});
  return object({{"resources", list_of(resource).nullable()}});
}

Schema status() {
  return object({
      {"version", count()},
      {"formatVersion", text()},
      {"phase", name_of<BackupPhase>()},
      {"queuePosition", count()},
      {"validationErrors", texts().nullable()},
      {"startTimestamp", time()},
      {"completionTimestamp", time()},
      {"expiration", time()},
      {"volumeSnapshotsAttempted", count()},
      {"volumeSnapshotsCompleted", count()},
      {"csiVolumeSnapshotsAttempted", count()},
      {"csiVolumeSnapshotsCompleted", count()},
      {"backupItemOperationsAttempted", count()},
      {"backupItemOperationsCompleted", count()},
      {"backupItemOperationsFailed", count()},
      {"failureReason", text()},
      {"warnings", count()},
      {"errors", count()},
      {"hookStatus", hook_status()},
      {"progress", item_progress({{"itemsBackedUp", count()}})},
      {"canceled", boolean().help("The backup was stopped because spec.cancel asked for it.")},
  });
}

}  // namespace

Schema backup_spec() {
  return object({
      {"metadata", object({{"labels", map_of(text())}})},
      {"includedNamespaces", texts().nullable()},
      {"excludedNamespaces", texts().nullable()},
      {"includedResources", texts().nullable()},
      {"excludedResources", texts().nullable()},
      {"includeClusterResources", tristate()},
      {"includedClusterScopedResources", texts().nullable()},
      {"excludedClusterScopedResources", texts().nullable()},
      {"includedNamespaceScopedResources", texts().nullable()},
      {"excludedNamespaceScopedResources", texts().nullable()},
      {"labelSelector", label_selector().nullable()},
      {"orLabelSelectors", list_of(label_selector()).nullable()},
      {"orderedResources", map_of(text()).nullable()},
      {"hooks", hooks()},
      {"ttl", duration()},
      {"storageLocation", text()},
      {"volumeSnapshotLocations", texts()},
      {"snapshotVolumes", tristate()},
      {"snapshotMoveData", tristate()},
      {"datamover", text()},
      {"defaultVolumesToFsBackup", tristate()},
      {"defaultVolumesToRestic", tristate()},
      {"volumeGroupSnapshotLabelKey", text()},
      {"csiSnapshotTimeout", duration()},
      {"itemOperationTimeout", duration()},
      {"resourcePolicy", typed_local_reference()},
      {"uploaderConfig", object({{"parallelFilesUpload", count()}}).nullable()},
  });
}

Definition backup_definition() {
  return {.kind = kBackup,
          .help = "A backup: what to save, where to, and how far it is.",
          .spec = backup_spec().with({{"cancel", boolean().help("Stop the backup and leave nothing of it behind.")}}),
          .status = status()};
}

Definition schedule_definition() {
  return {.kind = kSchedule,
          .help = "Backups that are started again and again, by a cron expression.",
          .spec = object({
              {"template", backup_spec().required()},
              {"schedule", text().required()},
              {"useOwnerReferencesInBackup", tristate()},
              {"paused", boolean()},
              {"skipImmediately", boolean()},
          }),
          .status = object({
              {"phase", name_of<SchedulePhase>()},
              {"lastBackup", time()},
              {"lastSkipped", time()},
              {"validationErrors", texts()},
          }),
          .columns = {{"Status", "string", ".status.phase"},
                      {"Schedule", "string", ".spec.schedule"},
                      {"LastBackup", "date", ".status.lastBackup"},
                      age_column(),
                      {"Paused", "boolean", ".spec.paused"}}};
}

}  // namespace landfall::api
