#include "cli_backup/backup_commands.h"
#include "cli_backup/commands.h"

namespace landfall::cli {

void add_backup_command(const Command& root) {
  const Command group = root.group("backup", "Work with backups");
  group.alias("backups");
  add_backup_create(group, "create");
  add_backup_get(group, "get");
  add_backup_describe(group, "describe");
  add_backup_logs(group, "logs");
  add_backup_watch(group, "watch");
  add_backup_download(group, "download");
  add_backup_cancel(group, "cancel");
  add_backup_delete(group, "delete");
  add_backup_verify(group, "verify");
}

}  // namespace landfall::cli
