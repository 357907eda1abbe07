#pragma once

#include "base/result.h"
#include "cli/context.h"

namespace landfall::cli {

// Asks until the answer is y or n, as Velero does. The end of the input is an error; called as `velero` it means no.
Result<bool> confirm(const Context& context);

}  // namespace landfall::cli
