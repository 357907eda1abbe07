#include "hooks/run_hook.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/go_duration.h"

namespace landfall::hooks {
namespace {

// The beginning of what a command writes.
class Output {
 public:
  Status take(std::string_view bytes) {
    const std::size_t room = kMaxLoggedOutput - kept_.size();
    kept_ += bytes.substr(0, room);
    dropped_ += bytes.size() - std::min(bytes.size(), room);
    return {};
  }

  void log_as(std::string_view name, const Logger& log) const {
    if (kept_.empty()) return;
    std::string line = std::string(name) + ": " + kept_;
    if (dropped_ > 0) line += "… (" + std::to_string(dropped_) + " bytes more)";
    log.info(line);
  }

 private:
  std::string kept_;
  std::uint64_t dropped_ = 0;
};

Status judge(const Result<kube::ExecOutcome>& outcome, const PlannedHook& hook, const std::stop_token& stop) {
  if (outcome) {
    if (outcome->exit_code == 0) return {};
    return fail(Code::kInvalid, "command terminated with exit code " + std::to_string(outcome->exit_code));
  }
  if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
  if (outcome.error().code() == Code::kTimeout) {
    return fail(Code::kTimeout, "timed out after " + format_go_duration(hook.timeout) +
                                    "; the command may still be running in the container");
  }
  return tl::unexpected(outcome.error());
}

}  // namespace

ExecInPod exec_over(kube::Client& client) {
  return [&client](const kube::ExecRequest& request, const kube::ExecOutput& output, const std::stop_token& stop) {
    return kube::exec_in_pod(client, request, output, stop);
  };
}

Status run_hook(const ExecInPod& exec, const k8s::NamespacedName& pod, const PlannedHook& hook, const Logger& log,
                const std::stop_token& stop) {
  if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
  if (!hook.warning.empty()) log.warning(hook.warning);
  TRY("", hook.runnable);
  log.info("running exec hook");
  Output out;
  Output err;
  const auto outcome = exec({.name_space = pod.name_space,
                             .pod = pod.name,
                             .container = hook.container,
                             .command = hook.command,
                             .timeout = hook.timeout},
                            {.on_stdout = [&](std::string_view bytes) { return out.take(bytes); },
                             .on_stderr = [&](std::string_view bytes) { return err.take(bytes); }},
                            stop);
  out.log_as("stdout", log);
  err.log_as("stderr", log);
  return judge(outcome, hook, stop);
}

}  // namespace landfall::hooks
