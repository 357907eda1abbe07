#include "cli/cluster.h"

#include <utility>

#include "base/random.h"
#include "cli/build_info.h"
#include "kube/config.h"

namespace landfall::cli {

Cluster::Cluster(std::unique_ptr<io::ProcessRunner> processes, std::unique_ptr<kube::Connection> connection,
                 const kube::ClientOptions& options, const Context& context)
    : processes_(std::move(processes)),
      connection_(std::move(connection)),
      client_(*connection_, options, context.clock, system_random(), Logger()) {}

namespace {

// Short passing faults are sat out; that nobody is there is said soon.
constexpr int kRetriesAtATerminal = 4;

}  // namespace

Result<std::unique_ptr<Cluster>> Cluster::of(const GlobalFlags& flags, const Context& context, Patience patience) {
  TRY_ASSIGN(kube::Config config, "",
             kube::load_config({.kubeconfig = flags.kubeconfig, .context = flags.kubecontext}, context.environment));
  auto processes = io::make_system_process_runner(context.clock);
  TRY_ASSIGN(auto connection, "",
             kube::Connection::create(std::move(config), context.environment, *processes, context.clock, Logger()));
  kube::ClientOptions options{.user_agent = context.program + "/" + std::string(build_version())};
  if (patience == Patience::kTerminal) options.max_retries = kRetriesAtATerminal;
  return std::make_unique<Cluster>(std::move(processes), std::move(connection), options, context);
}

}  // namespace landfall::cli
