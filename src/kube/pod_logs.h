#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"
#include "kube/client.h"

namespace landfall::kube {

struct LogRequest {
  std::string name_space;
  std::string pod;
  std::string container;  // may be empty when the pod has one only
  bool follow = false;    // goes on until the container ends
  bool previous = false;  // of the container that ran before the last restart
  bool timestamps = false;
  std::optional<std::int64_t> tail_lines;
  std::optional<std::int64_t> since_seconds;
  std::optional<std::int64_t> limit_bytes;
};

// Hands out a container's log as it comes; `on_bytes` returns false to end it. Pieces end anywhere, not at lines.
// kNotFound without the pod or a log of before; kInvalid when the container is not named but has to be, or has not
// started. A log that is followed may be silent for any time; another one that is ends with kTimeout.
Status read_pod_log(Client& client, const LogRequest& request,
                    const std::function<Result<bool>(std::string_view)>& on_bytes, const std::stop_token& stop);

}  // namespace landfall::kube
