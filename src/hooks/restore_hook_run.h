#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "base/result.h"
#include "hooks/hook_record.h"
#include "hooks/hook_runner.h"
#include "hooks/restore_hooks.h"
#include "hooks/run_hook.h"
#include "json/json_fwd.h"
#include "kube/client.h"

namespace landfall::hooks {

// Runs the exec hooks of one restore: waits for each pod's containers by watching, and runs their hooks in sequence,
// those of different pods in parallel. Thread-safe. It has threads of its own, which end with it: within milliseconds,
// and a hook that was cut off or not begun by then is not a failed one.
//
// A hook fails without being run when its pod is deleted or ends, when its container ends for good or is not up within
// the hook's waitTimeout, and after a hook of the pod that failed with onError: Fail. The hooks of other pods go on.
class RestoreHookRun {
 public:
  struct Tools {
    kube::Client& client;
    Clock& clock;
    Random& random;
    Logger log;
    ExecInPod exec;
    // Told before a hook is run, and after; both return when that is safely written. An error of the first is logged.
    // A hook that fails without being run has an end alone. The error is a full sentence: what failures() has.
    std::function<Status(const std::string& id)> on_begin;
    std::function<void(const std::string& id, const std::string& error)> on_end;
    int max_at_once = 16;
  };
  // What is known to be over counts and is not run again; what has only begun is run again. Times to wait start anew.
  RestoreHookRun(RestoreHooks hooks, Tools tools, HookRecords known);
  ~RestoreHookRun();
  RestoreHookRun(const RestoreHookRun&) = delete;
  RestoreHookRun& operator=(const RestoreHookRun&) = delete;

  const RestoreHooks& hooks() const;

  // A pod of the restore as it is in the cluster. True when it has hooks; the same pod may be added again.
  bool add(const json::Json& pod);
  // A pod that is not there any more: its hooks, which are not known, count as one that failed; unless the records say
  // that all of them were over.
  void add_missing(const std::string& name_space, const std::string& pod, const std::string& why);

  // Returns true when all hooks of all pods so far are over.
  bool wait(SteadyTime deadline, const std::stop_token& stop);

  HookCounts counts() const;
  struct Failure {
    std::string name_space;
    std::string text;
  };
  std::vector<Failure> failures() const;  // in order of pod and hook
  // What is being waited for, for people: "shop/db-0 container db". Empty: nothing.
  std::string waiting_for() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace landfall::hooks
