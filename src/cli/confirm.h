#pragma once

#include "base/result.h"
#include "cli/context.h"

namespace landfall::cli {

// Asks until the answer is y or n, as Velero does. The end of the input means no.
Result<bool> confirm(const Context& context);

}  // namespace landfall::cli
