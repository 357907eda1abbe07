#pragma once

#include <memory>

#include "base/result.h"
#include "cli/context.h"
#include "cli/global_flags.h"
#include "io/process.h"
#include "kube/client.h"
#include "kube/connection.h"

namespace landfall::cli {

// How long a call holds out when the cluster cannot be reached. Somebody at a terminal learns of it within ten seconds;
// a long operation, which nobody wants to begin again, waits as the server does.
enum class Patience { kTerminal, kLong };

// The cluster that the global flags name, with everything that a client of it needs. Connects with the first call.
class Cluster {
 public:
  static Result<std::unique_ptr<Cluster>> of(const GlobalFlags& flags, const Context& context,
                                             Patience patience = Patience::kTerminal);

  // Use of().
  Cluster(std::unique_ptr<io::ProcessRunner> processes, std::unique_ptr<kube::Connection> connection,
          const kube::ClientOptions& options, const Context& context);

  kube::Client& client() { return client_; }

 private:
  std::unique_ptr<io::ProcessRunner> processes_;
  std::unique_ptr<kube::Connection> connection_;
  kube::Client client_;
};

}  // namespace landfall::cli
