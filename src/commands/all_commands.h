#pragma once

#include "cli/command.h"

namespace landfall::cli {

// Fills the tree with every command.
void add_all_commands(const Command& root);

}  // namespace landfall::cli
