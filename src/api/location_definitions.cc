#include "api/definition.h"
#include "api/phases.h"
#include "api/schema_parts.h"

namespace landfall::api {
namespace {

Schema access_mode() { return one_of({"ReadOnly", "ReadWrite"}); }

Schema repository_type() { return one_of({"kopia", "restic", ""}); }

}  // namespace

Definition backup_storage_location_definition() {
  const Schema bucket = object({
      {"bucket", text().required()},
      {"prefix", text()},
      {"caCert", text_of_format("byte")},
      {"caCertRef", secret_key()},
  });
  return {.kind = kBackupStorageLocation,
          .help = "A bucket for backups, and how to reach it.",
          .short_name = "bsl",
          .spec = object({
              {"provider", text().required()},
              {"config", map_of(text())},
              {"credential", secret_key()},
              {"objectStorage", bucket.required()},
              {"default", boolean()},
              {"accessMode", access_mode()},
              {"backupSyncPeriod", duration().nullable()},
              {"validationFrequency", duration().nullable()},
          }),
          .status = object({
              {"phase", name_of<LocationPhase>()},
              {"message", text()},
              {"lastSyncedTime", time()},
              {"lastValidationTime", time()},
              {"lastSyncedRevision", text()},
              {"accessMode", access_mode()},
          }),
          .columns = {{"Phase", "string", ".status.phase"},
                      {"Last Validated", "date", ".status.lastValidationTime"},
                      age_column(),
                      {"Default", "boolean", ".spec.default"}}};
}

Definition volume_snapshot_location_definition() {
  return {.kind = kVolumeSnapshotLocation,
          .help = "Where a provider keeps the snapshots of volumes.",
          .short_name = "vsl",
          .spec = object({
              {"provider", text().required()},
              {"config", map_of(text())},
              {"credential", secret_key()},
          }),
          .status = object({{"phase", name_of<LocationPhase>()}})};
}

Definition backup_repository_definition() {
  const Schema maintenance = object({
      {"result", one_of({"Succeeded", "Failed"})},
      {"startTimestamp", time()},
      {"completeTimestamp", time()},
      {"message", text()},
  });
  return {.kind = kBackupRepository,
          .help = "The files of the volumes of one namespace in one location.",
          .spec = object({
              {"volumeNamespace", text().required()},
              {"backupStorageLocation", text().required()},
              {"repositoryType", repository_type()},
              {"resticIdentifier", text()},
              {"maintenanceFrequency", duration().required()},
              {"repositoryConfig", map_of(text()).nullable()},
          }),
          .status = object({
              {"phase", name_of<RepositoryPhase>()},
              {"message", text()},
              {"lastMaintenanceTime", time()},
              {"recentMaintenance", list_of(maintenance)},
          }),
          .columns = {age_column(), {"Repository Type", "string", ".spec.repositoryType"}}};
}

}  // namespace landfall::api
