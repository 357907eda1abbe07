#pragma once

#include <cstdint>
#include <stop_token>

#include "base/guarded.h"
#include "base/log.h"
#include "hooks/backup_hooks.h"
#include "hooks/run_hook.h"
#include "json/json_fwd.h"

namespace landfall::hooks {

// What status.hookStatus shows.
struct HookCounts {
  std::int64_t attempted = 0;  // Velero counts those, too, that did not run because one before them had failed
  std::int64_t failed = 0;

  friend bool operator==(const HookCounts&, const HookCounts&) = default;
};

// Runs the hooks of one backup, and counts them. Thread-safe: pods are handled in parallel, the hooks of one pod in
// order.
class HookRunner {
 public:
  HookRunner(BackupHooks hooks, ExecInPod exec) : hooks_(std::move(hooks)), exec_(std::move(exec)) {}

  const BackupHooks& hooks() const { return hooks_; }

  // False when a hook has failed that says onError: Fail: the pod is not to be backed up, and the rest of its hooks
  // are not run. Every failure is an error in the log, with the pod in the fields "resource", "namespace" and "name",
  // by which the log's errors are sorted.
  //
  // In a pod that has ended (Succeeded, Failed) nothing is run, and nothing fails. After a stop it returns at once, and
  // a hook that was cut off is not a failed one: whoever has stopped knows.
  bool run(const json::Json& pod, HookPhase phase, const Logger& log, const std::stop_token& stop);

  HookCounts counts() const { return counts_.copy(); }

 private:
  const BackupHooks hooks_;
  const ExecInPod exec_;
  Guarded<HookCounts> counts_;
};

}  // namespace landfall::hooks
