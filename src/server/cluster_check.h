#pragma once

#include <stop_token>
#include <string>

#include "base/log.h"
#include "base/result.h"
#include "kube/client.h"

namespace landfall::server {

// kNotFound with what to do, when the server's namespace does not exist. A server that may not look goes on.
Status check_namespace(kube::Client& client, const std::string& name, const std::stop_token& stop);

// kForbidden with what to do, when the server may not have a lease in its namespace: it would wait for ever, and look
// ready to a rollout that then ends the old one.
Status check_lease_rights(kube::Client& client, const std::string& name_space, const Logger& log,
                          const std::stop_token& stop);

}  // namespace landfall::server
