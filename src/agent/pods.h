#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>

#include "agent/agent_context.h"
#include "base/result.h"
#include "json/json.h"

// The pods whose volumes are copied.
namespace landfall::agent {

// The pod that a PodVolumeBackup or -Restore names. Another one that has its name by now is not it (kNotFound).
Result<json::Json> find_pod(const AgentContext& context, const json::Json& transfer, const std::stop_token& stop);

// The same after hours of copying, which an API server that does not answer must not cost: it is asked again for up to
// ten minutes, and once after a stop.
Result<json::Json> find_pod_surely(const AgentContext& context, const json::Json& transfer,
                                   const std::stop_token& stop);

// Only of a running pod is it known that its volumes are there.
Status check_running(const json::Json& pod);

// The init container that holds a pod back until its volumes are filled; Velero's old name for it counts, too.
inline constexpr std::string_view kRestoreWait = "restore-wait";
inline constexpr std::string_view kOldRestoreWait = "restic-wait";

enum class RestoreWait : std::uint8_t {
  kNotYet,    // it has not begun
  kWaits,     // the volumes are there, and nobody else uses them
  kReleased,  // it has found all volumes filled
  kOver,      // there is none, or it is over, and the pod has gone on
};
// Wherever it stands among the init containers.
RestoreWait restore_wait(const json::Json& pod);

}  // namespace landfall::agent
