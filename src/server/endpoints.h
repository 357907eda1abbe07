#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "http/router.h"
#include "http/server.h"
#include "metrics/metrics.h"
#include "server/readiness.h"

namespace landfall::server {

// GET /healthz (the process lives), /readyz (see Readiness) and /metrics.
std::vector<http::Route> health_routes(const Readiness& readiness, const metrics::Metrics& metrics);

// Serves routes on an address as parse_listen_address() takes it. What the routes refer to must outlive it.
Result<std::unique_ptr<http::Server>> serve(const std::string& name, const std::string& address,
                                            std::vector<http::Route> routes, Clock& clock, const Logger& log);

}  // namespace landfall::server
