#pragma once

#include <stop_token>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "control/context.h"
#include "json/json_fwd.h"

// DeleteBackupRequests, for those who make and obey them.
namespace landfall::control {

// A new one, with a name that the server makes.
json::Json deletion_request_for(const json::Json& backup);

// Those of a backup, found by their label. One that a user made without labels is not among them before it is begun.
Result<std::vector<json::Json>> deletion_requests_of(const Context& context, std::string_view backup,
                                                     const std::stop_token& stop);

// Not processed yet.
bool is_open_request(const json::Json& request);

}  // namespace landfall::control
