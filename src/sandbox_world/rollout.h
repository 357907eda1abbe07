#pragma once

#include <cstdint>
#include <vector>

namespace landfall::sandbox {

// The ReplicaSets of a Deployment as a rollout sees them.
struct SetSize {
  std::int64_t wanted = 0;     // spec.replicas
  std::int64_t there = 0;      // status.replicas
  std::int64_t available = 0;  // status.availableReplicas
};

struct RolloutRules {
  std::int64_t replicas = 1;
  bool recreates = false;  // the old pods go before new ones come
  std::int64_t surge = 0;
  std::int64_t unavailable = 0;
};

// What the sizes should be next: the new set's first, then those of the old ones in their order. Pure.
std::vector<std::int64_t> next_sizes(const SetSize& current, const std::vector<SetSize>& others,
                                     const RolloutRules& rules);

}  // namespace landfall::sandbox
