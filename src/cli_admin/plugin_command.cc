#include "cli_admin/admin_commands.h"
#include "cli_admin/commands.h"

namespace landfall::cli {

void add_plugin_command(const Command& root) {
  const Command group = root.group("plugin", "Work with the plugins of the server");
  group.alias("plugins");
  add_plugin_add(group, "add");
  add_plugin_get(group, "get");
  add_plugin_remove(group, "remove");
}

}  // namespace landfall::cli
