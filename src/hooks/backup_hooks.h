#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/hooks.h"
#include "base/result.h"
#include "hooks/hook_selector.h"
#include "hooks/planned_hook.h"
#include "json/json_fwd.h"
#include "kube/discovery.h"

namespace landfall::hooks {

enum class HookPhase : std::uint8_t { kPre, kPost };

constexpr std::string_view to_string(HookPhase phase) { return phase == HookPhase::kPre ? "pre" : "post"; }

// What a backup runs in its pods before and after they are backed up. An immutable value; safe to ask from several
// threads.
//
// A pod's own annotations (pre.hook.backup.velero.io/command …, post.hook…, and for the first hook.backup.velero.io/…
// as well) win over the spec, phase by phase: then their one hook is all that runs.
class BackupHooks {
 public:
  BackupHooks() = default;
  // kInvalid names the entry: "spec.hooks.resources[1]: namespaces: …".
  static Result<BackupHooks> make(std::vector<api::BackupHooks> spec, const kube::Discovery& discovery);

  // In the order in which they run.
  std::vector<PlannedHook> plan(const json::Json& pod, HookPhase phase) const;
  // Whether plan() returns anything, in either phase; without building it.
  bool has_any(const json::Json& pod) const;

 private:
  struct Entry {
    std::string name;
    HookSelector selector;
    std::vector<api::ExecHook> pre;
    std::vector<api::ExecHook> post;
  };
  std::vector<Entry> entries_;  // those that are for pods and have hooks
};

}  // namespace landfall::hooks
