#pragma once

#include "base/result.h"
#include "cli/context.h"

namespace landfall::cli {

// The last word on an error before a user reads it: what the cluster said, or that it said nothing, in the user's terms
// and with what to do next. Errors of other kinds stay as they are.
Error explained_for_user(const Error& error, const Context& context);

}  // namespace landfall::cli
