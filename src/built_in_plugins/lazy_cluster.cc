#include "built_in_plugins/lazy_cluster.h"

#include <utility>

#include "base/random.h"
#include "kube/config.h"

namespace landfall::built_in_plugins {
namespace {

Result<std::unique_ptr<Cluster>> connect(kube::Config config, const Environment& environment, Clock& clock,
                                         const Logger& log) {
  auto cluster = std::make_unique<Cluster>();
  cluster->processes = io::make_system_process_runner(clock);
  TRY_ASSIGN(cluster->connection, "",
             kube::Connection::create(std::move(config), environment, *cluster->processes, clock, log));
  kube::ClientOptions options;
  options.user_agent = "landfall-plugins";
  cluster->client = std::make_unique<kube::Client>(*cluster->connection, options, clock, system_random(), log);
  return cluster;
}

}  // namespace

Result<std::unique_ptr<Cluster>> nowhere(Clock& clock) {
  kube::Config config;
  config.origin = "nowhere";
  config.server = "http://127.0.0.1:9";
  TRY_ASSIGN(auto cluster, "", connect(std::move(config), Environment(), clock, Logger()));
  cluster->discovery = std::make_unique<kube::Discovery>(
      std::vector<kube::ApiGroup>(), std::vector<kube::ApiResource>(), std::map<k8s::GroupVersion, Error>());
  return cluster;
}

LazyCluster::LazyCluster(Environment environment, Clock& clock, Logger log)
    : environment_(std::move(environment)), clock_(clock), log_(std::move(log)) {}

Result<std::shared_ptr<Cluster>> LazyCluster::get(const std::stop_token& stop) {
  if (auto known = cluster_.copy()) return known;
  TRY_ASSIGN(kube::Config config, "", kube::load_config({}, environment_));
  TRY_ASSIGN(std::shared_ptr<Cluster> made, "", connect(std::move(config), environment_, clock_, log_));
  TRY_ASSIGN(kube::Discovery discovery, "what the cluster serves", kube::discover(*made->client, stop));
  made->discovery = std::make_unique<kube::Discovery>(std::move(discovery));
  // Of two that came at once the first one's is used by both.
  return cluster_.with([&](std::shared_ptr<Cluster>& cluster) {
    if (!cluster) cluster = made;
    return cluster;
  });
}

}  // namespace landfall::built_in_plugins
