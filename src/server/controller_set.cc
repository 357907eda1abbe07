#include "server/controller_set.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/guarded.h"
#include "base/strings.h"
#include "server/guarded_reconciler.h"

namespace landfall::server {

kube::Cache& ControllerSet::cache(const api::Kind& kind) {
  auto& cache = caches_[std::string(kind.plural)];
  if (cache == nullptr) {
    cache = std::make_unique<kube::Cache>(context_.objects(kind), kube::ListOptions(), context_.random, context_.log);
  }
  return *cache;
}

kube::Controller& ControllerSet::add(const std::string& name, std::unique_ptr<kube::Reconciler> reconciler,
                                     int workers) {
  auto guarded = std::make_unique<GuardedReconciler>(name, std::move(reconciler), context_.metrics);
  auto controller =
      std::make_unique<kube::Controller>(name, *guarded, context_.clock, context_.random, context_.log, workers);
  controllers_.push_back({.name = name, .reconciler = std::move(guarded), .controller = std::move(controller)});
  return *controllers_.back().controller;
}

void ControllerSet::add_task(const std::string& name, TaskGroup::Body body) {
  tasks_.push_back({.name = name, .body = std::move(body)});
}

Status ControllerSet::run(const RunOptions& options, const std::stop_token& stop) {
  std::stop_source ended;
  const std::stop_callback pass_on(stop, [&] { ended.request_stop(); });
  Guarded<std::optional<Error>> died;
  const auto on_death = [&](const Error& error) {
    died.with([&](std::optional<Error>& first) {
      if (!first) first = error;
    });
    ended.request_stop();
  };

  TaskGroup caches(context_.clock, on_death);
  TaskGroup controllers(context_.clock, on_death);
  for (const auto& [plural, cache] : caches_) {
    caches.start("cache-" + plural, [&it = *cache](const std::stop_token& told) { it.run(told); });
  }
  for (const Entry& entry : controllers_) {
    controllers.start(entry.name, [&it = *entry.controller](const std::stop_token& told) { it.run(told); });
  }
  for (const Task& task : tasks_) controllers.start(task.name, task.body);

  const bool is_synced = std::ranges::all_of(
      caches_, [&](const auto& entry) { return entry.second->wait_synced(kNever, ended.get_token()); });
  if (is_synced && options.on_synced) options.on_synced();
  context_.clock.sleep_for(Duration::max(), ended.get_token());

  end(controllers, options);
  caches.request_stop();
  caches.wait(kNever);
  if (const auto error = died.copy()) return fail("a part of the server has ended", *error);
  return {};
}

void ControllerSet::end(TaskGroup& controllers, const RunOptions& options) const {
  controllers.request_stop();
  const auto late = controllers.wait(context_.clock.after(options.grace));
  if (late.empty()) return;
  context_.log.error("these controllers have not ended in time", {{"controllers", join(late, ", ")}});
  if (options.on_stuck) options.on_stuck();
  controllers.wait(kNever);
}

}  // namespace landfall::server
