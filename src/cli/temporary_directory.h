#pragma once

#include <string>

#include "cli/context.h"

namespace landfall::cli {

// Where temporary files go.
inline std::string temporary_directory(const Context& context) { return context.environment.get_or("TMPDIR", "/tmp"); }

}  // namespace landfall::cli
