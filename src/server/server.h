#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/environment.h"
#include "base/log.h"
#include "base/random.h"
#include "base/result.h"
#include "io/process.h"
#include "kube/client.h"
#include "server/options.h"

namespace landfall::server {

// What the server gets from the world. What it refers to outlives the run.
struct World {
  kube::Client& client;
  Clock& clock;
  Random& random;
  const Environment& environment;
  io::ProcessRunner& processes;
  Logger log;
  // Called when something goes on that must not: work without the lease, or past the grace of a stop. Ends the process.
  std::function<void()> end_process;
  // Optional: where it listens, once it does ("http://127.0.0.1:8085").
  std::function<void(const std::string& health_url, const std::string& artifacts_url)> on_listening;
};

// The server: listens, checks the cluster, waits for the lease and runs the controllers under it, over and over, until
// the stop. A stop is no error. Blocks.
Status run_server(const ServerOptions& options, const World& world, const std::stop_token& stop);

}  // namespace landfall::server
