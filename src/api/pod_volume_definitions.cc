#include <utility>

#include "api/definition.h"
#include "api/schema_parts.h"

namespace landfall::api {
namespace {

Schema uploader_type() { return one_of({"kopia", "restic", ""}); }

// What both have in their specs.
Schema spec(const std::vector<Field>& more) {
  return object({
                    {"pod", object_reference().required()},
                    {"volume", text().required()},
                    {"backupStorageLocation", text().required()},
                    {"repoIdentifier", text().required()},
                    {"uploaderType", uploader_type()},
                    {"uploaderSettings", map_of(text()).nullable()},
                    {"cancel", boolean()},
                })
      .with(more);
}

}  // namespace

Definition pod_volume_backup_definition() {
  std::vector<Column> columns = transfer_columns();
  columns.insert(columns.end(), {bytes_column("Incremental Bytes", ".status.incrementalBytes", 10),
                                 {"Storage Location", "string", ".spec.backupStorageLocation"},
                                 age_column(),
                                 // Velero's mistake: there is no such field, and the column is empty.
                                 {"Node", "string", ".status.node"},
                                 {"Uploader", "string", ".spec.uploaderType"}});
  return {.kind = kPodVolumeBackup,
          .help = "Saves the files of one volume of one pod.",
          .spec = spec({{"node", text().required()}, {"tags", map_of(text())}}),
          .status = transfer_status({{"path", text()}, {"snapshotID", text()}, {"incrementalBytes", int64()}}),
          .columns = std::move(columns)};
}

Definition pod_volume_restore_definition() {
  std::vector<Column> columns = transfer_columns();
  columns.insert(columns.end(), {{"Storage Location", "string", ".spec.backupStorageLocation"},
                                 age_column(),
                                 {"Node", "string", ".status.node"},
                                 {"Uploader Type", "string", ".spec.uploaderType"}});
  return {.kind = kPodVolumeRestore,
          .help = "Brings back the files of one volume of one pod.",
          .spec = spec(
              {{"snapshotID", text().required()}, {"sourceNamespace", text().required()}, {"snapshotSize", int64()}}),
          .status = transfer_status({{"node", text()}}),
          .columns = std::move(columns)};
}

}  // namespace landfall::api
