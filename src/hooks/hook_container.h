#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "json/json_fwd.h"

namespace landfall::hooks {

// The container of a pod that a hook runs in: the one it names, or the first. A container that it names has to be one
// that keeps running: a regular one, or an init container with restartPolicy Always. kInvalid when there is none.
Result<std::string> hook_container(const json::Json& pod, std::string_view wanted);

}  // namespace landfall::hooks
