#pragma once

#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "kube/cache.h"
#include "kube/work_queue.h"

namespace landfall::kube {

// What a reconciler wants next: nothing until something changes, or another look after a while.
struct Reconciled {
  std::optional<Duration> again_after;
};

// Brings one object's world into the state it asks for. Called with a name, not with a change: it reads what is, does
// what is missing, and may be called any number of times. Never for the same name on two threads at once.
class Reconciler {
 public:
  virtual ~Reconciler() = default;
  virtual Result<Reconciled> reconcile(const k8s::NamespacedName& name, const std::stop_token& stop) = 0;
};

// Runs a reconciler: changes of caches become names in a queue, workers take them from there, what fails comes again
// with a growing delay. Life: watch(), then run(), which blocks until the stop and returns when the last worker has.
class Controller {
 public:
  Controller(std::string name, Reconciler& reconciler, Clock& clock, Random& random, Logger log, int workers = 1);

  // Every change of the cache's objects is work, for the names that `map` makes of it; by default the object's own.
  using Map = std::function<std::vector<k8s::NamespacedName>(const CacheChange&)>;
  // Before the cache runs.
  void watch(Cache& cache, Map map = {});

  WorkQueue& queue() { return queue_; }
  // Waits for the caches' first lists, then works.
  void run(const std::stop_token& stop);

 private:
  void work(const std::stop_token& stop);

  std::string name_;
  Reconciler& reconciler_;
  Logger log_;
  int workers_;
  WorkQueue queue_;
  std::vector<Cache*> caches_;
};

}  // namespace landfall::kube
