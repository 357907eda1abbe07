#pragma once

#include <string>
#include <vector>

#include "cli/context.h"

namespace landfall::cli {

// Runs one command line (without the program's own name) and returns the exit code: 0, or 1 after any error. Errors are
// one sentence on the error output.
int run(const Context& context, const std::vector<std::string>& words);

}  // namespace landfall::cli
