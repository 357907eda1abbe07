#pragma once

#include <string>

#include "base/result.h"
#include "cli/context.h"
#include "cli/global_flags.h"

namespace landfall {

// Makes a sandbox ready for `landfall server`: the definitions, the namespace, and a directory for backups as its
// default location.
Status install_in_sandbox(const std::string& backups, const cli::GlobalFlags& flags, const cli::Context& context);

}  // namespace landfall
