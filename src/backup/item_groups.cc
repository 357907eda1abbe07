#include "backup/item_groups.h"

#include <algorithm>
#include <map>
#include <utility>

namespace landfall::backup {

void ItemGroups::join(std::uint32_t a, std::uint32_t b) {
  if (a == b) return;
  const auto [first, second] = std::minmax({leader(a), leader(b)});
  leader_[second] = first;
}

std::uint32_t ItemGroups::leader(std::uint32_t one) {
  auto here = leader_.try_emplace(one, one).first;
  while (here->second != one) {
    const auto next = leader_.find(here->second);
    here->second = next->second;
    one = here->second;
    here = leader_.find(one);
  }
  return one;
}

std::vector<std::vector<std::uint32_t>> ItemGroups::all() {
  std::vector<std::uint32_t> members;
  members.reserve(leader_.size());
  for (const auto& [one, nearer] : leader_) members.push_back(one);
  std::ranges::sort(members);
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_leader;
  for (const std::uint32_t one : members) by_leader[leader(one)].push_back(one);
  std::vector<std::vector<std::uint32_t>> groups;
  groups.reserve(by_leader.size());
  for (auto& [first, group] : by_leader) groups.push_back(std::move(group));
  return groups;
}

}  // namespace landfall::backup
