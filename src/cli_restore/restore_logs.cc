#include "cli/operation_logs.h"
#include "cli_restore/restore_commands.h"

namespace landfall::cli {

Command add_restore_logs(const Command& group, const std::string& word) {
  return add_operation_logs(group, word, kRestores);
}

}  // namespace landfall::cli
