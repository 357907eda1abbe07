#include <string>

#include "api/labels.h"
#include "base/quote.h"
#include "cli/chosen_objects.h"
#include "cli/new_object.h"
#include "cli_backup/backup_commands.h"
#include "json/json.h"
#include "k8s/names.h"
#include "k8s/object_view.h"
#include "kube/resource.h"

namespace landfall::cli {
namespace {

using json::Json;

// The server deletes it, with all that belongs to it; deleting the Backup alone would leave its data behind, and the
// next sync would bring it back.
Status remove(kube::Client& client, const Json& backup, const GlobalFlags& global, const Context& context) {
  const k8s::ObjectView view(backup);
  const std::string name(view.name());
  Json request = new_object(api::kDeleteBackupRequest, "", global.namespace_name, {{"backupName", name}},
                            {{std::string(api::label::kBackupName), k8s::label_safe(name)},
                             {std::string(api::label::kBackupUid), std::string(view.uid())}});
  request["metadata"].erase("name");
  request["metadata"]["generateName"] = name + "-";
  TRY("delete backup " + name, kube::Resource(client, api::kDeleteBackupRequest.resource(), global.namespace_name)
                                   .create(request, context.stop));
  return context.out.write("Request to delete backup " + quote(name) +
                           " submitted successfully.\nThe backup will be fully deleted after all associated data (disk "
                           "snapshots, backup files, restores) are removed.\n");
}

}  // namespace

Command add_backup_delete(const Command& group, const std::string& word) {
  return add_delete(
      group, word,
      {.noun = kBackups,
       .help = "Delete backups, with their files, their snapshots and the restores that were made of them",
       .remove = remove});
}

}  // namespace landfall::cli
