#include "stories/running_agent.h"

#include <utility>

#include "base/random.h"

namespace landfall::stories {

RunningAgent::RunningAgent(kube::Client& client, agent::AgentOptions options)
    : RunningProgram([&client, options = std::move(options)](const Surroundings& surroundings,
                                                             const std::stop_token& stop) mutable {
        options.metrics_address = "127.0.0.1:0";
        return agent::run_agent(options,
                                {.client = client,
                                 .clock = system_clock(),
                                 .random = system_random(),
                                 .environment = surroundings.environment,
                                 .processes = surroundings.processes,
                                 .log = surroundings.log,
                                 .end_process = surroundings.end_process,
                                 .on_listening = {}},
                                stop);
      }) {}

}  // namespace landfall::stories
