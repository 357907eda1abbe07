#pragma once

#include "kube/client.h"
#include "server/options.h"
#include "stories/running_program.h"

namespace landfall::stories {

// `landfall server` on free ports.
class RunningServer : public RunningProgram {
 public:
  // The client must outlive it. Addresses and identity are filled in.
  RunningServer(kube::Client& client, server::ServerOptions options, const Environment& environment = {});
};

}  // namespace landfall::stories
