#include "cli_admin/admin_commands.h"
#include "cli_admin/commands.h"

namespace landfall::cli {

void add_backup_location_command(const Command& root) {
  const Command group = root.group("backup-location", "Work with backup storage locations");
  group.alias("backup-locations");
  add_backup_location_create(group, "create");
  add_backup_location_get(group, "get");
  add_backup_location_set(group, "set");
  add_backup_location_delete(group, "delete");
}

}  // namespace landfall::cli
