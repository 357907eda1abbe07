#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "cli/context.h"
#include "kube/client.h"

namespace landfall::cli {

// Brings the custom resource definitions into a cluster and waits until they are served. Server-side apply takes
// Velero's own over, too: nothing of the objects of these kinds is lost.
Status install_definitions(kube::Client& client, const Context& context,
                           const std::function<Status(const std::string& name)>& on_applied);

}  // namespace landfall::cli
