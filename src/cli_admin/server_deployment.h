#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "cli/context.h"
#include "json/json_fwd.h"
#include "kube/client.h"

namespace landfall::cli {

// Changes the Deployment that runs the server: labelled component=velero, with a container `velero`. What `change`
// makes of it goes out as a merge patch; when somebody else has changed it meanwhile, it is read and changed again.
// kNotFound when there is none.
Status change_server_deployment(kube::Client& client, const std::string& name_space,
                                const std::function<Status(json::Json& deployment)>& change, const Context& context);

// `spec.template.spec.LIST`, made if it is missing. The Deployment is one that the API server has validated.
json::Json& pod_list(json::Json& deployment, const char* list);

}  // namespace landfall::cli
