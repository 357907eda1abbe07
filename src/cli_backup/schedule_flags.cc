#include "cli_backup/schedule_flags.h"

#include "cli/flag_values.h"

namespace landfall::cli {

void add_skip_immediately_flag(const Command& command, std::optional<std::string>& value) {
  command.flag("--skip-immediately", value,
               "true: do not make up for a backup that is overdue, wait for the next (the server's)");
}

Result<std::optional<bool>> read_skip_immediately(const std::optional<std::string>& value) {
  if (!value || value->empty()) return std::optional<bool>();
  TRY_ASSIGN(const bool skips, "--skip-immediately", parse_bool(*value));
  return std::optional<bool>(skips);
}

}  // namespace landfall::cli
