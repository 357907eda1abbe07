#pragma once

#include "base/result.h"
#include "cli/context.h"
#include "cli/global_flags.h"

namespace landfall {

// Creates the sample shop in the cluster of the kubeconfig and writes files into its volumes. Refuses a cluster that is
// not a sandbox. Can be run again: what is there is left as it is.
Status seed_sandbox(const cli::GlobalFlags& flags, const cli::Context& context);

}  // namespace landfall
