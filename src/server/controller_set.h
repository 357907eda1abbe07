#pragma once

#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "api/names.h"
#include "base/clock.h"
#include "base/result.h"
#include "control/context.h"
#include "kube/cache.h"
#include "kube/controller.h"
#include "server/task_group.h"

namespace landfall::server {

// The controllers that run together while the lease is held, and the caches that tell them of changes: one cache a
// kind, whoever watches it. Life: add(), then run() once.
class ControllerSet {
 public:
  // The context outlives it.
  explicit ControllerSet(const control::Context& context) : context_(context) {}
  ~ControllerSet() = default;
  ControllerSet(const ControllerSet&) = delete;
  ControllerSet& operator=(const ControllerSet&) = delete;

  // The objects of the kind in the server's namespace.
  kube::Cache& cache(const api::Kind& kind);
  // What watches nothing has nothing to do: call watch() on what is returned.
  kube::Controller& add(const std::string& name, std::unique_ptr<kube::Reconciler> reconciler, int workers = 1);
  // Anything else that runs beside them.
  void add_task(const std::string& name, TaskGroup::Body body);

  struct RunOptions {
    Duration grace{};                 // for the controllers to end, after the stop
    std::function<void()> on_synced;  // once all caches know what is there
    std::function<void()> on_stuck;   // the grace is over and some have not ended
  };
  // Runs until the stop, then stops the controllers, and after them the caches. An error when one of the threads ended
  // before, in which case all are stopped too.
  Status run(const RunOptions& options, const std::stop_token& stop);

 private:
  struct Task {
    std::string name;
    TaskGroup::Body body;
  };
  struct Entry {
    std::string name;
    std::unique_ptr<kube::Reconciler> reconciler;
    std::unique_ptr<kube::Controller> controller;
  };
  void end(TaskGroup& controllers, const RunOptions& options) const;

  const control::Context& context_;
  std::map<std::string, std::unique_ptr<kube::Cache>> caches_;  // by plural
  std::vector<Entry> controllers_;
  std::vector<Task> tasks_;
};

}  // namespace landfall::server
