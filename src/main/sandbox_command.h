#pragma once

#include "cli/command.h"

namespace landfall {

// `landfall sandbox start` and `landfall sandbox seed`.
void add_sandbox_command(const cli::Command& root);

}  // namespace landfall
