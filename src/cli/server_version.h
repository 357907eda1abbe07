#pragma once

#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "cli/context.h"
#include "json/json_fwd.h"
#include "kube/client.h"

namespace landfall::cli {

// What the server in the namespace says of itself: a ServerStatusRequest that it has processed. kTimeout when nobody
// answers in time.
Result<json::Json> ask_server(kube::Client& client, const std::string& name_space, Duration patience,
                              const Context& context);
// The version that the server in the namespace gives (a ServerStatusRequest). kTimeout when nobody answers, as Velero
// after five seconds.
Result<std::string> ask_server_version(kube::Client& client, const std::string& name_space, const Context& context);

// Whether that is Landfall: Velero's own server would pass over what it does not know.
bool is_landfall(const std::string& server_version);

}  // namespace landfall::cli
