#include "hooks/hook_runner.h"

#include <string>

#include "hooks/hook_log.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::hooks {
namespace {

bool has_ended(const json::Json& pod) {
  const std::string phase = json::string_or(pod, {"status", "phase"}, "");
  return phase == "Succeeded" || phase == "Failed";
}

}  // namespace

bool HookRunner::run(const json::Json& pod, HookPhase phase, const Logger& log, const std::stop_token& stop) {
  const std::vector<PlannedHook> planned = hooks_.plan(pod, phase);
  if (planned.empty()) return true;
  const k8s::NamespacedName name = k8s::ObjectView(pod).namespaced_name();
  const Logger pod_log = log.with({{"resource", "pods"},
                                   {"namespace", name.name_space},
                                   {"name", name.name},
                                   {"hookType", "exec"},
                                   {"hookPhase", to_string(phase)}});
  const bool is_skipped = has_ended(pod);
  if (is_skipped) pod_log.info("the pod has ended, its hooks are not run");

  bool may_go_on = true;
  for (const PlannedHook& hook : planned) {
    if (stop.stop_requested()) break;
    counts_.with([](HookCounts& counts) { ++counts.attempted; });
    if (is_skipped || !may_go_on) continue;
    const Logger hook_log = logger_of(hook, pod_log);
    const Status ran = run_hook(exec_, name, hook, hook_log, stop);
    if (ran) continue;
    if (ran.error().code() == Code::kCancelled && stop.stop_requested()) break;
    counts_.with([](HookCounts& counts) { ++counts.failed; });
    hook_log.error("Error executing hook", {LogField(ran.error())});
    if (hook.is_fatal()) may_go_on = false;
  }
  return may_go_on;
}

}  // namespace landfall::hooks
