#pragma once

#include <string>

#include "base/result.h"
#include "cli/context.h"
#include "json/json_fwd.h"
#include "kube/resource.h"

namespace landfall::cli {

// Shows how far a Restore is until it has ended, and returns it as it is then: one live line on a terminal, a plain
// line now and then otherwise, Velero's dots when called as `velero`. Ctrl-c ends the waiting, not the restore
// (kCancelled, says so). A cluster that cannot be reached for a while is waited for; a Restore that is gone is
// kNotFound.
Result<json::Json> await_restore(const kube::Resource& restores, const json::Json& restore, const Context& context);

}  // namespace landfall::cli
