#pragma once

#include <functional>
#include <string>

#include "json/json_fwd.h"

// What a kubelet writes into the status of a pod. Pure.
namespace landfall::sandbox {

struct PodFacts {
  std::string now;  // RFC 3339
  std::string pod_ip;
  bool has_volumes = false;  // its directories are there
  bool runs_to_end = false;  // its containers finish by themselves
  std::function<bool(const json::Json& init_container)> is_init_done;
};

// A container that waits for a restore: it ends when the files of its volumes are back.
bool is_restore_wait(const json::Json& init_container);

// One step on: Pending, its init containers one after the other, Running, and Succeeded for what runs to its end. Once
// finished nothing changes any more.
void advance_pod(json::Json& pod, const PodFacts& facts);

}  // namespace landfall::sandbox
