#include "cli_admin/admin_commands.h"
#include "cli_admin/commands.h"

namespace landfall::cli {

void add_snapshot_location_command(const Command& root) {
  const Command group = root.group("snapshot-location", "Work with volume snapshot locations");
  group.alias("snapshot-locations");
  add_snapshot_location_create(group, "create");
  add_snapshot_location_get(group, "get");
  add_snapshot_location_set(group, "set");
}

}  // namespace landfall::cli
