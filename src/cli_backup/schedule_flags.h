#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "cli/command.h"

namespace landfall::cli {

// --skip-immediately, which unlike others of its kind always needs a value; an empty one says nothing, as in Velero.
void add_skip_immediately_flag(const Command& command, std::optional<std::string>& value);
Result<std::optional<bool>> read_skip_immediately(const std::optional<std::string>& value);

}  // namespace landfall::cli
