#include "agent/node_agent.h"

#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "agent/agent_context.h"
#include "agent/pod_volume_backup_reconciler.h"
#include "agent/pod_volume_restore_reconciler.h"
#include "agent/transfer_cancel_reconciler.h"
#include "api/labels.h"
#include "base/quote.h"
#include "control/context.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "kopia/connection_directory.h"
#include "location/repository_access.h"
#include "metrics/metrics.h"
#include "server/controller_set.h"
#include "server/endpoints.h"
#include "server/readiness.h"
#include "server/uploaders.h"

namespace landfall::agent {
namespace {

using json::Json;
using Names = std::vector<k8s::NamespacedName>;

constexpr Duration kAnswersMayTake = std::chrono::seconds(2);

// The PodVolumeRestores that wait for a pod which has changed.
kube::Controller::Map restores_of(const kube::Cache& restores) {
  return [&restores](const kube::CacheChange& change) {
    Names names;
    const std::string uid(k8s::ObjectView(change.after ? *change.after : *change.before).uid());
    for (const kube::Object& one : restores.list()) {
      if (json::string_or(*one, {"spec", "pod", "uid"}, "") == uid) {
        names.push_back(k8s::ObjectView(*one).namespaced_name());
      }
    }
    return names;
  };
}

class Run {
 public:
  Run(const AgentOptions& options, const World& world)
      : options_(options),
        world_(world),
        readiness_(world.clock),
        locations_(world.client, options.name_space,
                   {.environment = world.environment, .clock = world.clock, .log = world.log}),
        control_{.client = world.client,
                 .name_space = options.name_space,
                 .clock = world.clock,
                 .random = world.random,
                 .log = world.log,
                 .locations = locations_,
                 .running = running_,
                 .metrics = metrics_},
        uploaders_(options.uploaders, options.progress_interval, world.environment, world.processes),
        context_{
            .client = world.client,
            .name_space = options.name_space,
            .node = options.node,
            .pods_directory = options.pods_directory,
            .clock = world.clock,
            .log = world.log,
            .uploaders = uploaders_.all(),
            .find_repository =
                [this](const std::string& location, std::string_view type, const std::string& volume_namespace,
                       const std::stop_token& stop) { return find_repository(location, type, volume_namespace, stop); },
            .progress_interval = options.progress_interval} {}

  Status run(const std::stop_token& stop) {
    // Keys of buckets are in what an agent that was killed has left.
    kopia::remove_left_directories(world_.environment.get_or("TMPDIR", "/tmp"));
    TRY_ASSIGN(health_, "--metrics-address",
               server::serve("health", options_.metrics_address, server::health_routes(readiness_, metrics_),
                             world_.clock, world_.log));
    if (world_.on_listening) world_.on_listening(health_->url());
    Status outcome = work(stop);
    readiness_.set(server::Stage::kStopping);
    health_->stop(world_.clock.after(kAnswersMayTake));
    return outcome;
  }

 private:
  Result<extension::RepositoryAccess> find_repository(const std::string& location, std::string_view type,
                                                      const std::string& volume_namespace,
                                                      const std::stop_token& stop) const {
    TRY_ASSIGN(const control::FoundLocation found, "", locations_.find(location, stop));
    return location::repository_access(found.object, type, volume_namespace, world_.client,
                                       {.environment = world_.environment, .clock = world_.clock, .log = world_.log},
                                       stop);
  }

  Status work(const std::stop_token& stop) {
    readiness_.set(server::Stage::kSyncing);
    kube::Cache pods(kube::Resource(world_.client, {"", "v1", "pods"}),
                     {.field_selector = "spec.nodeName=" + options_.node}, world_.random, world_.log);
    server::ControllerSet set(control_);
    kube::Cache& backups = set.cache(api::kPodVolumeBackup);
    kube::Cache& restores = set.cache(api::kPodVolumeRestore);
    set.add("pod-volume-backup", std::make_unique<PodVolumeBackupReconciler>(context_, active_), options_.concurrency)
        .watch(backups);
    auto& filling = set.add("pod-volume-restore", std::make_unique<PodVolumeRestoreReconciler>(context_, active_),
                            options_.concurrency);
    filling.watch(restores);
    filling.watch(pods, restores_of(restores));
    set.add("pod-volume-backup-cancel",
            std::make_unique<TransferCancelReconciler>(backups, active_,
                                                       std::make_unique<PodVolumeBackupReconciler>(context_, active_)))
        .watch(backups);
    set.add("pod-volume-restore-cancel",
            std::make_unique<TransferCancelReconciler>(restores, active_,
                                                       std::make_unique<PodVolumeRestoreReconciler>(context_, active_)))
        .watch(restores);
    // Its successor may have the volume in a moment.
    pods.on_change([this, &restores](const kube::CacheChange& change) {
      if (change.after && !k8s::ObjectView(*change.after).is_being_deleted()) return;
      for (const k8s::NamespacedName& name : restores_of(restores)(change)) {
        const kube::Object one = restores.get(name);
        if (one) active_.cancel(std::string(k8s::ObjectView(*one).uid()), "the pod is gone, or being deleted");
      }
    });
    set.add_task("cache-pods", [&pods](const std::stop_token& until) { pods.run(until); });
    return set.run({.grace = options_.stop_grace,
                    .on_synced =
                        [this] {
                          readiness_.set(server::Stage::kWorking);
                          world_.log.info("the node agent works", {{"node", options_.node}});
                        },
                    .on_stuck = world_.end_process},
                   stop);
  }

  const AgentOptions& options_;
  const World& world_;
  metrics::Metrics metrics_;
  server::Readiness readiness_;
  control::Locations locations_;
  control::RunningOperations running_;
  const control::Context control_;
  server::Uploaders uploaders_;
  const AgentContext context_;
  ActiveTransfers active_{options_.concurrency};
  std::unique_ptr<http::Server> health_;  // last: it answers from what is above
};

}  // namespace

Status check(const AgentOptions& options) {
  if (options.node.empty()) {
    return fail(Code::kInvalid, "which node is this agent for? Set NODE_NAME, as the DaemonSet does, or --node-name");
  }
  std::error_code error;
  if (!std::filesystem::is_directory(options.pods_directory, error)) {
    return fail(Code::kNotFound, "--pods-dir: there is no directory " + quote(options.pods_directory) +
                                     ": mount the kubelet's pods there (/var/lib/kubelet/pods)");
  }
  if (options.concurrency < 1) return fail(Code::kInvalid, "--concurrency: expected a number from 1 on");
  if (options.progress_interval <= Duration::zero()) {
    return fail(Code::kInvalid, "--progress-interval must be more than nothing");
  }
  return {};
}

Status run_agent(const AgentOptions& options, const World& world, const std::stop_token& stop) {
  TRY("", check(options));
  Status outcome = Run(options, world).run(stop);
  if (outcome) world.log.info("stopped");
  return outcome;
}

}  // namespace landfall::agent
