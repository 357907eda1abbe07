#include "cli/operation_cancel.h"
#include "cli_backup/backup_commands.h"

namespace landfall::cli {

Command add_backup_cancel(const Command& group, const std::string& word) {
  return add_operation_cancel(group, word, kBackups);
}

}  // namespace landfall::cli
