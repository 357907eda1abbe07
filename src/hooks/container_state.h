#pragma once

#include <string>
#include <string_view>

#include "json/json_fwd.h"

namespace landfall::hooks {

// How a container of a pod is, by the pod's status.
struct ContainerState {
  bool is_running = false;
  bool is_ready = false;
  // It has ended, and will not be started again.
  bool is_over = false;
  // What people want to know when it does not run: "waiting: ImagePullBackOff: Back-off pulling image …".
  std::string text;
};

ContainerState container_state(const json::Json& pod, std::string_view container);

// Whether the pod has ended as a whole; then `why` says how: "it has ended with the phase Failed (Evicted)".
bool has_pod_ended(const json::Json& pod, std::string& why);

}  // namespace landfall::hooks
