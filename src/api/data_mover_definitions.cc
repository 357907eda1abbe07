#include "api/definition.h"
#include "api/schema_parts.h"

namespace landfall::api {
namespace {

Schema node_os() { return one_of({"auto", "linux", "windows"}); }

// Behind the columns of every transfer.
std::vector<Column> columns(const std::vector<Column>& first) {
  std::vector<Column> all = transfer_columns();
  all.insert(all.end(), first.begin(), first.end());
  all.insert(all.end(), {{"Storage Location", "string", ".spec.backupStorageLocation"},
                         age_column(),
                         {"Node", "string", ".status.node"}});
  return all;
}

}  // namespace

Definition data_upload_definition() {
  const Schema snapshot = object({
      {"volumeSnapshot", text().required()},
      {"storageClass", text().required()},
      {"snapshotClass", text()},
      {"driver", text()},
  });
  return {.kind = kDataUpload,
          .help = "Moves the bytes of one volume snapshot into a location.",
          .spec = object({
              {"snapshotType", text().required()},
              {"csiSnapshot", snapshot.nullable()},
              {"sourcePVC", text().required()},
              {"sourceNamespace", text().required()},
              {"datamover", text()},
              {"dataMoverConfig", map_of(text()).nullable()},
              {"backupStorageLocation", text().required()},
              {"operationTimeout", duration().required()},
              {"cancel", boolean()},
          }),
          .status = transfer_status({
              {"path", text()},
              {"snapshotID", text()},
              {"dataMoverResult", map_of(text()).nullable()},
              {"incrementalBytes", int64()},
              {"node", text()},
              {"nodeOS", node_os()},
              {"acceptedByNode", text()},
          }),
          .columns = columns({bytes_column("Incremental Bytes", ".status.incrementalBytes", 10)})};
}

Definition data_download_definition() {
  const Schema target = object({
      {"pvc", text().required()},
      {"pv", text().required()},
      {"namespace", text().required()},
  });
  return {.kind = kDataDownload,
          .help = "Moves the bytes of one volume from a location into a new volume.",
          .spec = object({
              {"targetVolume", target.required()},
              {"snapshotID", text().required()},
              {"snapshotSize", int64()},
              {"sourceNamespace", text().required()},
              {"datamover", text()},
              {"dataMoverConfig", map_of(text())},
              {"backupStorageLocation", text().required()},
              {"operationTimeout", duration().required()},
              {"nodeOS", node_os()},
              {"cancel", boolean()},
          }),
          .status = transfer_status({{"node", text()}, {"acceptedByNode", text()}}),
          .columns = columns({})};
}

}  // namespace landfall::api
