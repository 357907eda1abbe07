#include "stories/running_server.h"

#include <chrono>
#include <utility>

#include "base/random.h"
#include "server/server.h"

namespace landfall::stories {
namespace {

server::ServerOptions completed(server::ServerOptions options) {
  options.version = "v1.18.3+landfall.1";
  options.identity = "the-story";
  options.host = "127.0.0.1";
  options.metrics_address = "127.0.0.1:0";
  options.artifacts_address = "127.0.0.1:0";
  // The next server has the same identity and need not wait; none loses the lease because the machine is busy.
  options.lease_duration = std::chrono::seconds(60);
  options.renew_deadline = std::chrono::seconds(40);
  options.retry_period = std::chrono::milliseconds(100);
  return options;
}

}  // namespace

RunningServer::RunningServer(kube::Client& client, server::ServerOptions options, const Environment& environment)
    : RunningProgram(
          [&client, options = completed(std::move(options))](const Surroundings& surroundings,
                                                             const std::stop_token& stop) {
            return server::run_server(options,
                                      {.client = client,
                                       .clock = system_clock(),
                                       .random = system_random(),
                                       .environment = surroundings.environment,
                                       .processes = surroundings.processes,
                                       .log = surroundings.log,
                                       .end_process = surroundings.end_process,
                                       .on_listening = {}},
                                      stop);
          },
          environment) {}

}  // namespace landfall::stories
