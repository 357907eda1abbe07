#include "kube/controller.h"

namespace landfall::kube {

Controller::Controller(std::string name, Reconciler& reconciler, Clock& clock, Random& random, Logger log, int workers)
    : name_(std::move(name)),
      reconciler_(reconciler),
      log_(log.with({{"controller", name_}})),
      workers_(workers),
      queue_(clock, random) {}

void Controller::watch(Cache& cache, Map map) {
  caches_.push_back(&cache);
  cache.on_change([this, map = std::move(map)](const CacheChange& change) {
    if (!map) {
      queue_.add(change.name);
      return;
    }
    for (const k8s::NamespacedName& name : map(change)) {
      queue_.add(name);
    }
  });
}

void Controller::run(const std::stop_token& stop) {
  for (Cache* cache : caches_) {
    if (!cache->wait_synced(kNever, stop)) {
      return;
    }
  }
  std::vector<std::jthread> workers;
  workers.reserve(static_cast<std::size_t>(workers_));
  for (int i = 0; i < workers_; ++i) {
    workers.emplace_back([&] { work(stop); });
  }
}

void Controller::work(const std::stop_token& stop) {
  while (const auto name = queue_.get(stop)) {
    const auto result = reconciler_.reconcile(*name, stop);
    queue_.done(*name);
    if (result) {
      queue_.forget(*name);
      if (result->again_after) {
        queue_.add_after(*name, *result->again_after);
      }
    } else if (!stop.stop_requested()) {
      // A conflict is an everyday event: somebody else was quicker, and the next try reads what they wrote.
      const LogLevel level = result.error().code() == Code::kConflict ? LogLevel::kDebug : LogLevel::kError;
      log_.log(level, "reconciling failed; trying again", {{"name", k8s::to_string(*name)}, LogField(result.error())});
      queue_.add_failed(*name);
    }
  }
}

}  // namespace landfall::kube
