#include "cli/operation_watch.h"
#include "cli_backup/backup_commands.h"

namespace landfall::cli {

Command add_backup_watch(const Command& group, const std::string& word) {
  return add_operation_watch(group, word, kBackups);
}

}  // namespace landfall::cli
