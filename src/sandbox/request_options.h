#pragma once

#include <string_view>

#include "base/result.h"
#include "http/request.h"
#include "sandbox/request.h"

namespace landfall::sandbox {

// A flag as Kubernetes reads it: there, and neither "false" nor "0".
bool is_true(const http::Query& query, std::string_view name);

// Reads the query for the verb that the request has already, and checks it as the server does.
Status read_options(const http::Request& request, ApiRequest& out);

}  // namespace landfall::sandbox
