#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/context.h"

namespace landfall::cli {

// The name of a restore: the one that was given, or SOURCE-YYYYMMDDhhmmss in the time of the user's TZ, as Velero.
// kInvalid for more than one, and for what can be no name.
Result<std::string> restore_name(const std::vector<std::string>& given, const std::string& source,
                                 const Context& context);

}  // namespace landfall::cli
