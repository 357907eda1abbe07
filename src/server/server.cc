#include "server/server.h"

#include <memory>
#include <utility>
#include <vector>

#include "control/active_restores.h"
#include "control/artifact_endpoint.h"
#include "control/artifact_tokens.h"
#include "control/context.h"
#include "kube/leader_election.h"
#include "location/repository_access.h"
#include "metrics/server_metrics.h"
#include "server/cluster_check.h"
#include "server/controllers.h"
#include "server/crd_check.h"
#include "server/endpoints.h"
#include "server/listen_address.h"
#include "server/plugin_parts.h"
#include "server/readiness.h"
#include "server/uploaders.h"
#include "server/volume_parts.h"

namespace landfall::server {
namespace {

constexpr const char* kLeaseName = "landfall-server";
constexpr Duration kAnswersMayTake = std::chrono::seconds(2);  // those under way at the end

// One run of the server.
class Run {
 public:
  Run(const ServerOptions& options, const World& world)
      : options_(options),
        world_(world),
        readiness_(world.clock),
        plugins_(options, world.environment, world.clock, world.processes, world.log),
        locations_(world.client, options.name_space,
                   plugins_.with_plugins({.environment = world.environment, .clock = world.clock, .log = world.log})),
        context_{.client = world.client,
                 .name_space = options.name_space,
                 .clock = world.clock,
                 .random = world.random,
                 .log = world.log,
                 .locations = locations_,
                 .running = running_,
                 .metrics = metrics_},
        uploaders_(options.uploaders, std::chrono::seconds(1), world.environment, world.processes),
        tokens_(world.random),
        artifacts_(context_, tokens_, {}) {}

  Status run(const std::stop_token& stop) {
    metrics::show_schedule(metrics_, "");
    metrics_.set(metrics::kLeader, {}, 0);
    TRY("", listen());
    const std::stop_callback not_ready(stop, [this] { readiness_.set(Stage::kStopping); });
    Status outcome = check_and_work(stop);
    readiness_.set(Stage::kStopping);
    const SteadyTime deadline = world_.clock.after(kAnswersMayTake);
    artifacts_server_->stop(deadline);
    health_server_->stop(deadline);
    // What a stop interrupts is no failure.
    if (!outcome && outcome.error().code() == Code::kCancelled && stop.stop_requested()) return {};
    return outcome;
  }

 private:
  Status listen() {
    TRY_ASSIGN(
        health_server_, "--metrics-address",
        serve("health", options_.metrics_address, health_routes(readiness_, metrics_), world_.clock, world_.log));
    TRY_ASSIGN(artifacts_server_, "--artifacts-address",
               serve("artifacts", options_.artifacts_address, artifacts_.routes(), world_.clock, world_.log));
    // Who listens on one address only is reached by no other.
    TRY_ASSIGN(const ListenAddress address, "--artifacts-address", parse_listen_address(options_.artifacts_address));
    const bool is_everywhere = address.host.empty() || address.host == "0.0.0.0" || address.host == "::";
    artifacts_url_ = options_.artifacts_url;
    if (artifacts_url_.empty()) {
      artifacts_url_ = http_url(is_everywhere ? options_.host : address.host, artifacts_server_->port());
    }
    world_.log.info("serving metrics and health", {{"address", health_server_->url()}});
    world_.log.info("serving artifacts and logs",
                    {{"address", artifacts_server_->url()}, {"clientsUse", artifacts_url_}});
    if (world_.on_listening) world_.on_listening(health_server_->url(), artifacts_server_->url());
    return {};
  }

  Status check_and_work(const std::stop_token& stop) {
    plugins_.discover(stop);
    TRY("", check_definitions(world_.client, world_.log, stop));
    TRY("", check_namespace(world_.client, options_.name_space, stop));
    if (!options_.leader_election) return work(stop);
    TRY("", check_lease_rights(world_.client, options_.name_space, world_.log, stop));
    readiness_.set(Stage::kWaiting);
    // With places of its own among the calls under way: a restore that keeps the server busy must not cost the lease.
    kube::Client lease_client(world_.client.connection(), {.user_agent = "landfall", .max_concurrent = 2}, world_.clock,
                              world_.random, world_.log);
    kube::LeaderElection election(lease_client,
                                  {.name_space = options_.name_space,
                                   .name = kLeaseName,
                                   .identity = options_.identity,
                                   .lease_duration = options_.lease_duration,
                                   .renew_deadline = options_.renew_deadline,
                                   .retry_period = options_.retry_period,
                                   .on_overrun = world_.end_process},
                                  world_.random, world_.log);
    world_.log.info("waiting for the lease: one replica works at a time", {{"lease", kLeaseName}});
    return election.run([this](const std::stop_token& until) { return work(until); }, stop);
  }

  // One term: from getting the lease to losing it, or to the stop.
  Status work(const std::stop_token& stop) {
    readiness_.set(Stage::kSyncing);
    metrics_.set(metrics::kLeader, {}, 1);
    if (const Status made = location::ensure_repository_password(world_.client, options_.name_space, stop); !made) {
      world_.log.warning("volumes of pods cannot be backed up or restored before there is a password for repositories",
                         {LogField(made.error())});
    }
    control::ActiveRestores active_restores;  // what they leave running ends with the term
    VolumeParts volumes(context_, uploaders_, world_.environment);
    ControllerSet set(context_);
    add_controllers(set, {.context = context_,
                          .options = options_,
                          .tokens = tokens_,
                          .active_restores = active_restores,
                          .volumes = volumes,
                          .plugins = plugins_,
                          .artifacts_url = artifacts_url_,
                          .artifacts_port = artifacts_server_->port(),
                          .spool_directory = world_.environment.get_or("TMPDIR", "/tmp")});
    Status outcome = set.run({.grace = options_.stop_grace,
                              .on_synced =
                                  [this] {
                                    readiness_.set(Stage::kWorking);
                                    world_.log.info("the controllers work");
                                  },
                              .on_stuck = world_.end_process},
                             stop);
    metrics_.set(metrics::kLeader, {}, 0);
    readiness_.set(Stage::kWaiting);
    world_.log.info("the controllers have stopped");
    return outcome;
  }

  const ServerOptions& options_;
  const World& world_;
  metrics::Metrics metrics_;
  Readiness readiness_;
  PluginParts plugins_;
  control::Locations locations_;
  control::RunningOperations running_;
  const control::Context context_;
  Uploaders uploaders_;
  const control::ArtifactTokens tokens_;
  control::ArtifactEndpoint artifacts_;
  std::string artifacts_url_;
  // Last: they answer from what is above.
  std::unique_ptr<http::Server> health_server_;
  std::unique_ptr<http::Server> artifacts_server_;
};

}  // namespace

Status run_server(const ServerOptions& options, const World& world, const std::stop_token& stop) {
  TRY("", check(options));
  log_options(options, world.log);
  Status outcome = Run(options, world).run(stop);
  if (outcome) world.log.info("stopped");
  return outcome;
}

}  // namespace landfall::server
