#pragma once

#include <stop_token>

#include "base/log.h"
#include "base/result.h"
#include "kube/client.h"

namespace landfall::server {

// Looks at the CustomResourceDefinitions of velero.io in the cluster before anything works with their objects.
//
// A kind of Velero's that is not there is kNotFound with all that are missing and what to do. Definitions that drop
// fields of ours (Velero's own do), or lack our own kinds, are one warning that names what is lost: everything that
// Velero does works with them. Definitions that are not established yet are waited for, up to a minute. A server that
// may not read definitions goes on with a warning.
Status check_definitions(kube::Client& client, const Logger& log, const std::stop_token& stop);

}  // namespace landfall::server
