#pragma once

#include "cli/command.h"

namespace landfall::cli {

// The same commands with the verb first: `get backups` is `backup get`.
void add_verb_commands(const Command& root);

}  // namespace landfall::cli
