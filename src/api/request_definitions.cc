#include "api/definition.h"
#include "api/download_target.h"
#include "api/phases.h"
#include "api/schema_parts.h"

namespace landfall::api {

Definition delete_backup_request_definition() {
  return {.kind = kDeleteBackupRequest,
          .help = "Asks the server to delete a backup with everything that belongs to it.",
          .spec = object({{"backupName", text().required()}}),
          .status = object({
              {"phase", name_of<DeletionPhase>()},
              {"errors", texts().nullable()},
          }),
          .columns = {{"BackupName", "string", ".spec.backupName"}, {"Status", "string", ".status.phase"}}};
}

Definition download_request_definition() {
  const Schema target = object({
      {"kind", name_of<DownloadTarget>().required()},
      {"name", text().required()},
  });
  return {.kind = kDownloadRequest,
          .help = "Asks the server for an address from which a file of a backup or restore can be read.",
          .spec = object({{"target", target.required()}}),
          .status = object({
              {"phase", name_of<RequestPhase>()},
              {"downloadURL", text()},
              {"expiration", time()},
          })};
}

Definition server_status_request_definition() {
  const Schema plugin = object({
      {"name", text().required()},
      {"kind", text().required()},
  });
  return {.kind = kServerStatusRequest,
          .help = "Asks the server for its version and plugins.",
          .short_name = "ssr",
          .spec = object({}),
          .status = object({
              {"phase", name_of<RequestPhase>()},
              {"processedTimestamp", time()},
              {"serverVersion", text()},
              {"plugins", list_of(plugin).nullable()},
          })};
}

}  // namespace landfall::api
