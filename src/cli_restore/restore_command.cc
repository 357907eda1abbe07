#include "cli_restore/commands.h"
#include "cli_restore/restore_commands.h"

namespace landfall::cli {

void add_restore_command(const Command& root) {
  const Command group = root.group("restore", "Restore from backups, and see how far it is");
  group.alias("restores");
  add_restore_create(group, "create");
  add_restore_get(group, "get");
  add_restore_describe(group, "describe");
  add_restore_logs(group, "logs");
  add_restore_watch(group, "watch");
  add_restore_plan(group, "plan");
  add_restore_cancel(group, "cancel");
  add_restore_delete(group, "delete");
  add_restore_run(group, "run");
}

}  // namespace landfall::cli
