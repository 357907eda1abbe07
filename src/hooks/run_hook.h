#pragma once

#include <functional>
#include <stop_token>

#include "base/log.h"
#include "base/result.h"
#include "hooks/planned_hook.h"
#include "k8s/object_ref.h"
#include "kube/pod_exec.h"

namespace landfall::hooks {

// Runs a command in a container: kube::exec_in_pod, or what a test puts in its place. Called from several threads.
using ExecInPod = std::function<Result<kube::ExecOutcome>(const kube::ExecRequest& request,
                                                          const kube::ExecOutput& output, const std::stop_token& stop)>;

// Over the API server. Borrows the client.
ExecInPod exec_over(kube::Client& client);

// How much of each of a command's outputs goes into the log.
inline constexpr std::size_t kMaxLoggedOutput = std::size_t{64} * 1024;

// Runs one hook in a pod, whatever the pod's phase, and logs what it wrote, at info level, whether it succeeded or not.
// An error says why it failed: it could not be started, took too long, or ended with an exit code other than 0. After a
// stop it is always kCancelled. Nothing but the outputs and the hook's warning is logged: the error is the caller's.
Status run_hook(const ExecInPod& exec, const k8s::NamespacedName& pod, const PlannedHook& hook, const Logger& log,
                const std::stop_token& stop);

}  // namespace landfall::hooks
