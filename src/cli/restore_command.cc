#include "cli/commands.h"
#include "cli/restore_commands.h"

namespace landfall::cli {

void add_restore_command(const Command& root) {
  const Command group = root.group("restore", "Restore from backups, and see how far it is");
  group.alias("restores");
  add_restore_create(group);
  add_restore_get(group);
  add_restore_describe(group);
  add_restore_logs(group);
  add_restore_plan(group);
  add_restore_cancel(group);
  add_restore_delete(group);
  add_restore_run(group);
}

}  // namespace landfall::cli
