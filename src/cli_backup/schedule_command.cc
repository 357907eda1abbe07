#include "cli_backup/commands.h"
#include "cli_backup/schedule_commands.h"

namespace landfall::cli {

void add_schedule_command(const Command& root) {
  const Command group = root.group("schedule", "Work with schedules, which make backups again and again");
  group.alias("schedules");
  add_schedule_create(group, "create");
  add_schedule_get(group, "get");
  add_schedule_describe(group, "describe");
  add_schedule_pause(group, "pause");
  add_schedule_unpause(group, "unpause");
  add_schedule_delete(group, "delete");
}

}  // namespace landfall::cli
