#include "sandbox_world/rollout.h"

#include <algorithm>

namespace landfall::sandbox {
namespace {

std::vector<std::int64_t> recreate(const std::vector<SetSize>& others, std::int64_t replicas) {
  const bool is_clear = std::all_of(others.begin(), others.end(), [](const SetSize& set) { return set.there == 0; });
  std::vector<std::int64_t> out(others.size() + 1, 0);
  out[0] = is_clear ? replicas : 0;
  return out;
}

}  // namespace

std::vector<std::int64_t> next_sizes(const SetSize& current, const std::vector<SetSize>& others,
                                     const RolloutRules& rules) {
  if (rules.recreates) return recreate(others, rules.replicas);
  std::int64_t total = current.wanted;
  std::int64_t available = current.available;
  std::int64_t old_wanted = 0;
  for (const SetSize& set : others) {
    total += set.wanted;
    old_wanted += set.wanted;
    available += set.available;
  }
  std::vector<std::int64_t> out = {rules.replicas};
  if (old_wanted == 0) {
    out.resize(others.size() + 1, 0);
    return out;
  }
  const std::int64_t room = std::max<std::int64_t>(rules.replicas + rules.surge - total, 0);
  out[0] = std::min(rules.replicas, current.wanted + room);
  // Pods that are not available anyway can go at once; of the others only as many as may be missed.
  std::int64_t spare = std::max<std::int64_t>(available - (rules.replicas - rules.unavailable), 0);
  for (const SetSize& set : others) {
    const std::int64_t healthy = std::min(set.available, set.wanted);
    const std::int64_t going = std::min(healthy, spare);
    spare -= going;
    out.push_back(healthy - going);
  }
  return out;
}

}  // namespace landfall::sandbox
