#include "hooks/hook_runner.h"

#include <string>

#include "base/go_duration.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "k8s/object_view.h"

namespace landfall::hooks {
namespace {

// An annotation may hold a script.
constexpr std::size_t kMaxLoggedCommand = 1024;

bool has_ended(const json::Json& pod) {
  const std::string phase = json::string_or(pod, {"status", "phase"}, "");
  return phase == "Succeeded" || phase == "Failed";
}

std::string shown(const std::vector<std::string>& command) {
  std::string text = json::dump(command);
  if (text.size() > kMaxLoggedCommand) text.replace(kMaxLoggedCommand, std::string::npos, "…");
  return text;
}

Logger logger_of(const PlannedHook& hook, const Logger& log) {
  return log.with({{"hookSource", to_string(hook.source)},
                   {"hookName", hook.name},
                   {"hookContainer", hook.container},
                   {"hookCommand", shown(hook.command)},
                   {"hookOnError", api::to_string(hook.on_error.value_or(api::HookErrorMode::kContinue))},
                   {"hookTimeout", format_go_duration(hook.timeout)}});
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
