#include "cli/operation_cancel.h"
#include "cli_restore/restore_commands.h"

namespace landfall::cli {

Command add_restore_cancel(const Command& group, const std::string& word) {
  return add_operation_cancel(group, word, kRestores);
}

}  // namespace landfall::cli
