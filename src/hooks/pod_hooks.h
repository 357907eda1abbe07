#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "hooks/hook_record.h"
#include "hooks/restore_hooks.h"
#include "json/json_fwd.h"
#include "k8s/object_ref.h"

namespace landfall::hooks {

// One exec hook of a restored pod, and how far it is.
struct PodHook {
  PlannedRestoreHook plan;
  std::string id;
  SteadyTime expires = kNever;  // its container must be up by then
  bool is_begun = false;
  bool is_over = false;
  std::string error;  // of one that is over: why it failed, in full; empty: it went well
};

// The exec hooks of one restored pod: which are to be run now, which have failed without, by the pod's state. Runs
// nothing itself. Not thread-safe.
class PodHooks {
 public:
  PodHooks(k8s::NamespacedName pod, std::vector<PlannedRestoreHook> plan, const HookRecords& known, const Clock& clock);
  // Of a pod that is not there any more: what is known of its hooks, and one that failed unless all were over.
  static PodHooks missing(k8s::NamespacedName pod, const std::string& why, const HookRecords& known);

  // What is to be done, at most one of the two; neither: wait.
  struct Decision {
    std::vector<std::size_t> run;                           // in sequence; all of one container
    std::vector<std::pair<std::size_t, std::string>> fail;  // with why
  };
  // `pod` is null when it was deleted.
  Decision decide(const json::Json* pod, SteadyTime now) const;

  void begin(std::size_t index) { hooks_[index].is_begun = true; }
  void end(std::size_t index, std::string error);

  const std::vector<PodHook>& all() const { return hooks_; }
  bool is_over() const;
  // When decide() has something new to say though the pod stays as it is.
  SteadyTime next_expiry() const;
  // "shop/db-0 container db"; of the first hook that is not over.
  std::string waiting_for() const;
  // "hook freeze in container db of pod shop/db-0"
  std::string title(const PodHook& hook) const;

 private:
  explicit PodHooks(k8s::NamespacedName pod) : pod_(std::move(pod)) {}
  Decision fail_all(const std::string& why) const;
  Decision decide_container(const json::Json& pod, const std::string& container, SteadyTime now) const;
  std::string not_run(const PodHook& hook, const std::string& why) const;

  k8s::NamespacedName pod_;
  std::vector<PodHook> hooks_;
};

}  // namespace landfall::hooks
