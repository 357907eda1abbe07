#pragma once

#include "cli/command.h"

namespace landfall::cli {

void add_backup_command(const Command& root);
void add_schedule_command(const Command& root);

}  // namespace landfall::cli
