#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/hooks.h"
#include "base/clock.h"
#include "base/result.h"
#include "hooks/hook_selector.h"
#include "hooks/planned_hook.h"
#include "json/json_fwd.h"
#include "kube/discovery.h"

namespace landfall::hooks {

// A command to run in a container of a restored pod, once that runs.
struct PlannedRestoreHook {
  PlannedHook hook;
  std::optional<Duration> wait_timeout;  // none: as long as it takes
  bool waits_for_ready = false;
};

// What a restore runs in its pods: init containers that are put into them, and commands once they run. An immutable
// value; safe to ask from several threads. A pod's annotations win over the spec, for each of the two kinds.
class RestoreHooks {
 public:
  RestoreHooks() = default;
  // kInvalid names the entry: "spec.hooks.resources[1]: …". The documents that the hooks point into must outlive it.
  // The lists of resources in it do not matter, as in Velero: hooks are for pods.
  static Result<RestoreHooks> make(std::vector<api::RestoreHooks> spec, const kube::Discovery& discovery);

  // For a pod in its namespace in the cluster; only its metadata is looked at. A generated name
  // (velero-restore-init-xxxxxxxx) depends on the pod's name and namespace alone, so that a second try makes the same
  // pod.
  std::vector<json::Json> init_containers(const json::Json& pod) const;
  // In the order in which they run. Hooks for containers that the pod does not have are left out; `warnings` says
  // which.
  std::vector<PlannedRestoreHook> exec_hooks(const json::Json& pod, std::vector<std::string>& warnings) const;

 private:
  struct Entry {
    std::string name;
    HookSelector selector;
    std::vector<api::ExecHook> exec;
    std::vector<const json::Json*> init_containers;
  };
  std::vector<Entry> entries_;
};

}  // namespace landfall::hooks
