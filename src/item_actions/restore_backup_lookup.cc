#include "item_actions/restore_backup_lookup.h"

#include "api/names.h"
#include "json/json.h"
#include "kube/resource.h"

namespace landfall::item_actions {

Result<std::shared_ptr<const json::Json>> BackupLookup::get(const std::stop_token& stop) {
  TRY_ASSIGN(std::shared_ptr<const json::Json> backup, "get the Backup " + name_,
             backup_.get(client_.clock(), stop, [&] {
               return kube::Resource(client_, api::kBackup.resource(), name_space_).get(name_, stop);
             }));
  return backup;
}

}  // namespace landfall::item_actions
