#include "cli/cluster.h"

#include <utility>

#include "base/random.h"
#include "kube/config.h"

namespace landfall::cli {

Cluster::Cluster(std::unique_ptr<io::ProcessRunner> processes, std::unique_ptr<kube::Connection> connection,
                 const Context& context)
    : processes_(std::move(processes)),
      connection_(std::move(connection)),
      client_(*connection_, {}, context.clock, system_random(), Logger()) {}

Result<std::unique_ptr<Cluster>> Cluster::of(const GlobalFlags& flags, const Context& context) {
  TRY_ASSIGN(kube::Config config, "",
             kube::load_config({.kubeconfig = flags.kubeconfig, .context = flags.kubecontext}, context.environment));
  auto processes = io::make_system_process_runner(context.clock);
  TRY_ASSIGN(auto connection, "",
             kube::Connection::create(std::move(config), context.environment, *processes, context.clock, Logger()));
  return std::make_unique<Cluster>(std::move(processes), std::move(connection), context);
}

}  // namespace landfall::cli
