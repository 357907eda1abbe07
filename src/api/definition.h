#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/names.h"
#include "api/schema.h"
#include "json/json_fwd.h"

// One CustomResourceDefinition, before it is a document. The kinds' own files make them; definitions.h has them all.
namespace landfall::api {

struct Column {
  std::string name;
  std::string type;
  std::string path;
  int priority = 0;  // above 0: only with -o wide
};

// Columns that many kinds have.
Column age_column();
Column bytes_column(std::string name, std::string path, int priority = 0);
std::vector<Column> transfer_columns();  // Status, Started, Bytes Done, Total Bytes

struct Definition {
  Kind kind;
  std::string_view help;
  std::string_view short_name;
  Schema spec;
  Schema status;
  std::vector<Column> columns;

  json::Json to_json() const;
};

Definition backup_definition();
Definition backup_repository_definition();
Definition backup_storage_location_definition();
Definition data_download_definition();
Definition data_upload_definition();
Definition delete_backup_request_definition();
Definition download_request_definition();
Definition pod_volume_backup_definition();
Definition pod_volume_restore_definition();
Definition restore_definition();
Definition schedule_definition();
Definition server_status_request_definition();
Definition volume_plugin_backup_definition();
Definition volume_plugin_restore_definition();
Definition volume_snapshot_location_definition();

}  // namespace landfall::api
