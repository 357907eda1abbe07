#include "cli/operation_logs.h"
#include "cli_backup/backup_commands.h"

namespace landfall::cli {

Command add_backup_logs(const Command& group, const std::string& word) {
  return add_operation_logs(group, word, kBackups);
}

}  // namespace landfall::cli
