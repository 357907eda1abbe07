#pragma once

#include "agent/node_agent.h"
#include "kube/client.h"
#include "stories/running_program.h"

namespace landfall::stories {

// `landfall node-agent server` on a free port.
class RunningAgent : public RunningProgram {
 public:
  // The client must outlive it.
  RunningAgent(kube::Client& client, agent::AgentOptions options);
};

}  // namespace landfall::stories
