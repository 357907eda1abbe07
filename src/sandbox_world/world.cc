#include "sandbox_world/world.h"

#include <pthread.h>

#include <utility>

#include "sandbox_world/claim_controller.h"
#include "sandbox_world/cluster.h"
#include "sandbox_world/daemon_set_controller.h"
#include "sandbox_world/definition_controller.h"
#include "sandbox_world/deployment_controller.h"
#include "sandbox_world/garbage_collector.h"
#include "sandbox_world/job_controller.h"
#include "sandbox_world/namespace_controller.h"
#include "sandbox_world/node_controller.h"
#include "sandbox_world/pod_reaper.h"
#include "sandbox_world/pod_runner.h"
#include "sandbox_world/pod_scheduler.h"
#include "sandbox_world/replica_set_controller.h"
#include "sandbox_world/stateful_set_controller.h"
#include "sandbox_world/volume_controller.h"
#include "sandbox_world/volume_directories.h"
#include "sandbox_world/work_loop.h"

namespace landfall::sandbox {
namespace {

constexpr Duration kStartTime = std::chrono::seconds(10);

}  // namespace

World::World(Sandbox& sandbox, WorldOptions options, Clock& clock, const Logger& log)
    : sandbox_(sandbox),
      clock_(clock),
      options_(std::move(options)),
      loop_(std::make_unique<WorkLoop>(sandbox.store(), clock, log.with({{"part", "sandbox-world"}}))) {}

World::~World() { stop(); }

void World::add_controllers() {
  const Cluster cluster(sandbox_.api(), "kube-controller-manager");
  WorkLoop* loop = loop_.get();
  loop->add(std::make_unique<DefinitionController>(
      cluster, [loop](const k8s::GroupResource& resource) { loop->follow(resource); },
      [loop](const k8s::GroupResource& resource) { loop->unfollow(resource); }));
  if (options_.is_api_server_alone) return;
  loop->add(std::make_unique<NamespaceController>(cluster, sandbox_.ca_pem()));
  loop->add(std::make_unique<GarbageCollector>(cluster));
  if (!options_.workloads) {
    loop->add(std::make_unique<PodReaper>(cluster));
    return;
  }
  const VolumeDirectories directories(options_.data);
  loop->add(std::make_unique<NodeController>(cluster, directories));
  loop->add(std::make_unique<ClaimController>(cluster, directories));
  loop->add(std::make_unique<VolumeController>(cluster, directories));
  loop->add(std::make_unique<DeploymentController>(cluster));
  loop->add(std::make_unique<ReplicaSetController>(cluster));
  loop->add(std::make_unique<StatefulSetController>(cluster));
  loop->add(std::make_unique<DaemonSetController>(cluster));
  loop->add(std::make_unique<JobController>(cluster));
  loop->add(std::make_unique<PodScheduler>(cluster));
  loop->add(std::make_unique<PodRunner>(cluster, directories));
}

void World::start() {
  if (thread_.joinable()) return;
  thread_ = std::jthread([this](const std::stop_token& stop) {
    pthread_setname_np(pthread_self(), "sandbox-world");
    run(stop);
  });
  loop_->await_idle({}, clock_.after(kStartTime));
}

void World::run(const std::stop_token& stop) {
  add_controllers();
  // Definitions first: what they define is followed as soon as it is served.
  loop_->follow(kinds().definitions.storage);
  for (const KindInfo& kind : built_in_kinds()) {
    if (kind.is_stored()) loop_->follow(kind.storage);
  }
  loop_->run(stop);
}

void World::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

}  // namespace landfall::sandbox
