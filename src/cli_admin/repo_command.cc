#include "cli_admin/admin_commands.h"
#include "cli_admin/commands.h"

namespace landfall::cli {

void add_repo_command(const Command& root) {
  const Command group = root.group("repo", "Work with the repositories that hold the data of volumes");
  group.alias("repos");
  add_repo_get(group, "get");
}

}  // namespace landfall::cli
