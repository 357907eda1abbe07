#include "cli/operation_watch.h"
#include "cli_restore/restore_commands.h"

namespace landfall::cli {

Command add_restore_watch(const Command& group, const std::string& word) {
  return add_operation_watch(group, word, kRestores);
}

}  // namespace landfall::cli
