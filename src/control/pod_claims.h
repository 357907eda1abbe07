#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "json/json.h"
#include "kube/client.h"

namespace landfall::control {

// The PersistentVolumeClaim of a pod's volume; none for a volume that is no claim's.
Result<std::optional<json::Json>> claim_of(kube::Client& client, const json::Json& pod, const std::string& volume,
                                           const std::stop_token& stop);

}  // namespace landfall::control
