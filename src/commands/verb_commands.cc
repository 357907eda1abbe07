#include "commands/verb_commands.h"

#include "cli_restore/restore_commands.h"

namespace landfall::cli {

void add_verb_commands(const Command& root) {
  const Command create = root.group("create", "Create restores");
  add_restore_create(create, "restore");

  const Command get = root.group("get", "List restores");
  add_restore_get(get, "restores").alias("restore");

  const Command describe = root.group("describe", "Describe restores");
  add_restore_describe(describe, "restores").alias("restore");

  const Command remove = root.group("delete", "Delete restores");
  add_restore_delete(remove, "restore").alias("restores");
}

}  // namespace landfall::cli
