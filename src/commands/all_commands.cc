#include "commands/all_commands.h"

#include "cli_admin/commands.h"
#include "cli_backup/commands.h"
#include "cli_restore/commands.h"
#include "commands/verb_commands.h"

namespace landfall::cli {

void add_all_commands(const Command& root) {
  add_archive_command(root);
  add_backup_location_command(root);
  add_backup_command(root);
  add_client_command(root);
  add_completion_command(root);
  add_debug_command(root, add_all_commands);
  add_install_command(root);
  add_node_agent_command(root);
  add_plugin_command(root);
  add_repo_command(root);
  add_restore_command(root);
  add_schedule_command(root);
  add_server_command(root);
  add_snapshot_location_command(root);
  add_version_command(root);
  add_verb_commands(root);
}

}  // namespace landfall::cli
