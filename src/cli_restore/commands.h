#pragma once

#include "cli/command.h"

namespace landfall::cli {

// `restore`, with all words below it. Those that are found under their verb, too, are in restore_commands.h.
void add_restore_command(const Command& root);

}  // namespace landfall::cli
