#include "commands/verb_commands.h"

#include "cli_admin/admin_commands.h"
#include "cli_backup/backup_commands.h"
#include "cli_backup/schedule_commands.h"
#include "cli_restore/restore_commands.h"

namespace landfall::cli {

void add_verb_commands(const Command& root) {
  const Command create = root.group("create", "Create backups, restores, schedules and locations");
  add_backup_create(create, "backup");
  add_schedule_create(create, "schedule");
  add_restore_create(create, "restore");
  add_backup_location_create(create, "backup-location");
  add_snapshot_location_create(create, "snapshot-location");

  const Command get = root.group("get", "List backups, restores and what is around them");
  add_backup_get(get, "backups").alias("backup");
  add_schedule_get(get, "schedules").alias("schedule");
  add_restore_get(get, "restores").alias("restore");
  add_backup_location_get(get, "backup-locations").alias("backup-location");
  add_snapshot_location_get(get, "snapshot-locations").alias("snapshot-location");
  add_plugin_get(get, "plugins").alias("plugin");

  const Command describe = root.group("describe", "Describe backups, schedules and restores");
  add_backup_describe(describe, "backups").alias("backup");
  add_schedule_describe(describe, "schedules").alias("schedule");
  add_restore_describe(describe, "restores").alias("restore");

  const Command remove = root.group("delete", "Delete backups, restores, schedules and locations");
  add_backup_delete(remove, "backup").alias("backups");
  add_schedule_delete(remove, "schedule").alias("schedules");
  add_backup_location_delete(remove, "backup-location").alias("backup-locations");
  add_restore_delete(remove, "restore").alias("restores");
}

}  // namespace landfall::cli
