#pragma once

#include <stop_token>
#include <string>

#include "base/result.h"
#include "json/json.h"
#include "kube/client.h"

namespace landfall::agent {

// How many volumes an agent copies at a time, by what Velero calls the node-agent configuration:
// {"loadConcurrency": {"globalConfig": 2, "perNodeConfig": [{"nodeSelector": {"matchLabels": {…}}, "number": 3}]}}.
// The smallest number of those whose selectors match the node, else the global one, else 1.
Result<int> concurrency_in(const json::Json& config, const json::Json& node);

// The same for a node of the cluster, of a ConfigMap with one key.
Result<int> configured_concurrency(kube::Client& client, const std::string& name_space, const std::string& config_map,
                                   const std::string& node, const std::stop_token& stop);

}  // namespace landfall::agent
