#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/context.h"

namespace landfall::cli {

// Runs one command line (without the program's own name) and returns the exit code: 0, or 1 after any error. Errors are
// one sentence on the error output. `add_commands` fills the tree: the commands are in modules above this one.
int run(const Context& context, const std::vector<std::string>& words,
        const std::function<void(const Command& root)>& add_commands);

}  // namespace landfall::cli
