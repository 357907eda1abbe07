#include <memory>
#include <string>
#include <utility>

#include "agent/agent_config.h"
#include "agent/node_agent.h"
#include "base/random.h"
#include "cli/build_info.h"
#include "cli_admin/commands.h"
#include "cli_admin/daemon.h"

namespace landfall::cli {
namespace {

constexpr std::int64_t kNotGiven = -1;

struct Flags {
  agent::AgentOptions options;
  DaemonFlags daemon;
  std::int64_t concurrency = kNotGiven;
  std::string config_map;
  // Of Velero, with nothing to switch here: volumes are copied by the agent itself.
  std::string repository_config_map;
  Duration prepare_timeout = std::chrono::minutes(30);
  Duration resource_timeout = std::chrono::minutes(10);
};

void add_flags(const Command& command, Flags& flags) {
  agent::AgentOptions& options = flags.options;
  command.flag("--node-name", options.node, "The node whose volumes this agent copies ($NODE_NAME)");
  command.flag("--pods-dir", options.pods_directory, "Where the kubelet's pods are mounted (/host_pods)");
  command.flag("--progress-interval", options.progress_interval, "How often progress is reported (1s)");
  command.flag("--concurrency", flags.concurrency,
               "Volumes that are copied at a time (as --node-agent-configmap says, else 1)");
  command.flag("--node-agent-configmap", flags.config_map, "The ConfigMap with loadConcurrency");
  command.flag("--metrics-address", options.metrics_address, "Where metrics and health are served (:8085)");
  command.flag("--cache-dir", options.uploaders.cache_directory,
               "Where restic keeps indexes of repositories, which saves downloads (none are kept)");
  command.flag("--backup-repository-configmap", flags.repository_config_map, kIgnoredHelp);
  command.flag("--data-mover-prepare-timeout", flags.prepare_timeout, kIgnoredHelp);
  command.flag("--resource-timeout", flags.resource_timeout, kIgnoredHelp);
}

Result<int> concurrency(const Flags& flags, const agent::AgentOptions& options, Daemon& daemon,
                        const std::stop_token& stop) {
  constexpr std::int64_t kMost = 1000;
  if (flags.concurrency != kNotGiven && (flags.concurrency < 1 || flags.concurrency > kMost)) {
    return fail(Code::kInvalid, "--concurrency must be from 1 to " + std::to_string(kMost));
  }
  if (flags.concurrency != kNotGiven) return static_cast<int>(flags.concurrency);
  if (flags.config_map.empty()) return 1;
  TRY_ASSIGN(const int configured, "--node-agent-configmap",
             agent::configured_concurrency(daemon.client(), options.name_space, flags.config_map, options.node, stop));
  return configured;
}

Status run(const Flags& flags, const GlobalFlags& global, const Context& context) {
  agent::AgentOptions options = flags.options;
  options.name_space = global.namespace_name;
  if (options.node.empty()) options.node = context.environment.get_or("NODE_NAME", "");
  TRY("", agent::check(options));
  TRY_ASSIGN(const std::unique_ptr<Daemon> daemon, "",
             Daemon::start(flags.daemon, global, context,
                           {.user_agent = "landfall-node-agent/" + std::string(build_version())}));
  TRY_ASSIGN(options.concurrency, "", concurrency(flags, options, *daemon, context.stop));
  daemon->log().info("landfall node agent", {{"version", build_version()},
                                             {"commit", build_commit()},
                                             {"cluster", daemon->client().connection().server()},
                                             {"node", options.node},
                                             {"concurrency", options.concurrency}});
  if (!flags.repository_config_map.empty()) log_ignored_flag(daemon->log(), "--backup-repository-configmap");
  return agent::run_agent(options,
                          {.client = daemon->client(),
                           .clock = context.clock,
                           .random = system_random(),
                           .environment = context.environment,
                           .processes = daemon->processes(),
                           .log = daemon->log(),
                           .end_process = daemon->end_process()},
                          context.stop);
}

}  // namespace

void add_node_agent_command(const Command& root) {
  const auto flags = std::make_shared<Flags>();
  const Command group = root.group("node-agent", "Work with node agents, which copy the files of volumes");
  const Command command = group.leaf("server", "Run the agent of a node, in the cluster or beside it");
  add_flags(command, *flags);
  add_daemon_flags(command, flags->daemon);
  command.action([flags](const Context& context, const GlobalFlags& global) { return run(*flags, global, context); });
}

}  // namespace landfall::cli
