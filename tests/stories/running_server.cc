#include "stories/running_server.h"

#include <chrono>
#include <utility>

#include "base/random.h"
#include "server/server.h"

namespace landfall::stories {

RunningServer::RunningServer(kube::Client& client, server::ServerOptions options) {
  options.version = "v1.18.3+landfall.1";
  options.identity = "the-story";
  options.host = "127.0.0.1";
  options.metrics_address = "127.0.0.1:0";
  options.artifacts_address = "127.0.0.1:0";
  options.retry_period = std::chrono::milliseconds(100);
  thread_ = std::jthread([this, &client, options = std::move(options)](const std::stop_token& stop) {
    const server::World world{
        .client = client,
        .clock = system_clock(),
        .random = system_random(),
        .environment = environment_,
        .log = Logger(system_clock(), log_),
        .end_process = [this] { error_.with([](auto& it) { it = "it would have ended the process"; }); },
        .on_listening = {}};
    if (const Status ended = server::run_server(options, world, stop); !ended) {
      error_.with([&](auto& it) { it = ended.error().message(); });
    }
  });
}

RunningServer::~RunningServer() = default;

}  // namespace landfall::stories
