#include "hooks/pod_hooks.h"

#include <algorithm>

#include "base/go_duration.h"
#include "base/strings.h"
#include "hooks/container_state.h"

namespace landfall::hooks {
namespace {

constexpr std::string_view kOf = "-of-";

std::string prefix_of(const k8s::NamespacedName& pod) { return pod.name_space + "/" + pod.name + "/"; }

std::string id_of(const k8s::NamespacedName& pod, const std::string& container, std::size_t index, std::size_t count) {
  return prefix_of(pod) + container + "/" + std::to_string(index + 1) + std::string(kOf) + std::to_string(count);
}

// How many hooks the pod of a hook has; 0 for an id that does not say.
std::size_t count_in(std::string_view id) {
  const std::size_t at = id.rfind(kOf);
  if (at == std::string_view::npos) return 0;
  return static_cast<std::size_t>(parse_uint64(id.substr(at + kOf.size())).value_or(0));
}

}  // namespace

PodHooks::PodHooks(k8s::NamespacedName pod, std::vector<PlannedRestoreHook> plan, const HookRecords& known,
                   const Clock& clock)
    : PodHooks(std::move(pod)) {
  const std::size_t count = plan.size();
  for (PlannedRestoreHook& planned : plan) {
    PodHook hook{.id = id_of(pod_, planned.hook.container, hooks_.size(), count)};
    if (planned.wait_timeout) hook.expires = clock.after(*planned.wait_timeout);
    if (const auto record = known.find(hook.id); record != known.end()) {
      hook.is_begun = true;
      hook.is_over = record->second.is_over;
      hook.error = hook.is_over ? record->second.error : "";
    }
    hook.plan = std::move(planned);
    hooks_.push_back(std::move(hook));
  }
}

PodHooks PodHooks::missing(k8s::NamespacedName pod, const std::string& why, const HookRecords& known) {
  PodHooks hooks(std::move(pod));
  const std::string prefix = prefix_of(hooks.pod_);
  std::size_t count = 0;
  for (auto it = known.lower_bound(prefix); it != known.end() && it->first.starts_with(prefix); ++it) {
    count = std::max(count, count_in(it->first));
    if (!it->second.is_over) continue;
    hooks.hooks_.push_back({.id = it->first, .is_begun = true, .is_over = true, .error = it->second.error});
  }
  if (count > 0 && hooks.hooks_.size() >= count) return hooks;
  hooks.hooks_.push_back(
      {.id = prefix, .is_over = true, .error = "hooks of pod " + k8s::to_string(hooks.pod_) + " were not run: " + why});
  return hooks;
}

PodHooks::Decision PodHooks::decide(const json::Json* pod, SteadyTime now) const {
  for (const PodHook& hook : hooks_) {
    if (!hook.error.empty() && hook.plan.hook.is_fatal()) {
      return fail_all("hook " + hook.plan.hook.name + " in container " + hook.plan.hook.container +
                      " has failed, and says onError: Fail");
    }
  }
  if (pod == nullptr) return fail_all("the pod was deleted");
  std::string why;
  if (has_pod_ended(*pod, why)) return fail_all("the pod is over: " + why);
  for (const PodHook& hook : hooks_) {
    if (hook.is_over) continue;
    Decision decision = decide_container(*pod, hook.plan.hook.container, now);
    if (!decision.run.empty() || !decision.fail.empty()) return decision;
  }
  return {};
}

PodHooks::Decision PodHooks::fail_all(const std::string& why) const {
  Decision decision;
  for (std::size_t i = 0; i < hooks_.size(); ++i) {
    if (!hooks_[i].is_over) decision.fail.emplace_back(i, not_run(hooks_[i], why));
  }
  return decision;
}

PodHooks::Decision PodHooks::decide_container(const json::Json& pod, const std::string& container,
                                              SteadyTime now) const {
  // As in Velero, one hook that waits for ready makes all of its container wait.
  const bool waits_for_ready = std::ranges::any_of(
      hooks_, [&](const PodHook& hook) { return hook.plan.hook.container == container && hook.plan.waits_for_ready; });
  const ContainerState state = container_state(pod, container);
  const bool is_up = waits_for_ready ? state.is_ready : state.is_running;
  Decision decision;
  for (std::size_t i = 0; i < hooks_.size(); ++i) {
    const PodHook& hook = hooks_[i];
    if (hook.is_over || hook.plan.hook.container != container) continue;
    if (is_up) {
      decision.run.push_back(i);
    } else if (state.is_over) {
      decision.fail.emplace_back(i, not_run(hook, "the container has " + state.text));
    } else if (hook.expires <= now) {
      decision.fail.emplace_back(
          i, not_run(hook, "the container was not " + std::string(waits_for_ready ? "ready" : "running") + " within " +
                               format_go_duration(*hook.plan.wait_timeout) + ": " + state.text));
    }
  }
  return decision;
}

void PodHooks::end(std::size_t index, std::string error) {
  hooks_[index].is_over = true;
  hooks_[index].error = std::move(error);
}

bool PodHooks::is_over() const {
  return std::ranges::all_of(hooks_, [](const PodHook& hook) { return hook.is_over; });
}

SteadyTime PodHooks::next_expiry() const {
  SteadyTime next = kNever;
  for (const PodHook& hook : hooks_) {
    if (!hook.is_over) next = std::min(next, hook.expires);
  }
  return next;
}

std::string PodHooks::waiting_for() const {
  for (const PodHook& hook : hooks_) {
    if (!hook.is_over) return k8s::to_string(pod_) + " container " + hook.plan.hook.container;
  }
  return {};
}

std::string PodHooks::title(const PodHook& hook) const {
  return "hook " + hook.plan.hook.name + " in container " + hook.plan.hook.container + " of pod " +
         k8s::to_string(pod_);
}

std::string PodHooks::not_run(const PodHook& hook, const std::string& why) const {
  return title(hook) + " was not run: " + why;
}

}  // namespace landfall::hooks
