#pragma once

#include <stop_token>

#include "base/result.h"
#include "kube/client.h"

namespace landfall {

// kInvalid for a cluster that no `landfall sandbox start` serves: what is for rehearsals must not reach any other.
Status check_is_sandbox(kube::Client& client, const std::stop_token& stop);

}  // namespace landfall
